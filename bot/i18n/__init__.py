"""The second language of the pages: Chinese texts stay in the code, English ones in catalogues."""
