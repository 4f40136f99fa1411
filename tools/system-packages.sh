#!/usr/bin/env bash
# A browser and a Chinese font for the browser tests; where they cannot be had, those tests are
# reported as skipped with the reason.
set -euo pipefail
if command -v chromium >/dev/null && fc-list 2>/dev/null | grep -qi cjk; then exit 0; fi
if command -v apt-get >/dev/null && [[ $(id -u) == 0 ]]; then
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends chromium fonts-noto-cjk fontconfig >/dev/null
else
  playwright install chromium || echo "no browser could be installed: browser tests will be skipped"
fi
