"""What of a page can be reached."""

TOO_WIDE = """() => [...document.querySelectorAll('body *')]
    .filter(one => !one.closest('[data-testid=stTable], [data-testid=stSidebar]'))
    .filter(one => one.getBoundingClientRect().right > innerWidth + 1)
    .map(one => `${one.tagName} ${one.className} ${one.textContent.slice(0, 40)}`)"""
"""Names what is wider than the screen.

Streamlit scrolls inside the page, so the page's own width tells nothing; tables may scroll.
"""
