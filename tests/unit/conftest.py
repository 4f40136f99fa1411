"""Unit tests share hypothesis profiles; `HYPOTHESIS_PROFILE=deep` looks much further, by hand."""

import os

from hypothesis import settings

settings.register_profile("unit", deadline=None)
settings.register_profile("deep", deadline=None, max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "unit"))
