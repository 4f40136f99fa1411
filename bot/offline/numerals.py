"""Chinese numerals (中文数字): 二十一点五 is 21.5, 十三万一千零七十二 is 131072."""

from __future__ import annotations

import re

_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_TENS = {"十": 10, "百": 100, "千": 1000}
_MYRIADS = {"万": 10**4, "亿": 10**8}

NUMERAL = (
    r"[零〇一二两三四五六七八九十][零〇一二两三四五六七八九十百千万亿]{0,20}"
    r"(?:点[零〇一二三四五六七八九]{1,9})?"
)
"""What may be a numeral; it begins with a digit or ten, since 千万 and 百 alone are words."""
_ROW = re.compile(r"[零〇一二三四五六七八九]{2,}")


def value_of(numeral: str) -> float:
    """Return the value of what `NUMERAL` matches; a bare row of digits is read out: 二零四八."""
    whole, _, fraction = numeral.partition("点")
    decimals = "".join(str(_DIGITS[char]) for char in fraction)
    if _ROW.fullmatch(whole):
        return float("".join(str(_DIGITS[char]) for char in whole) + f".{decimals}")
    return float(f"{_whole(whole)}.{decimals}")


def _whole(numeral: str) -> int:
    """Add up the digits with their tens; 亿 multiplies all before it, 万 what follows the last 亿."""
    total, section, digit, last = 0, 0, 0, 1
    for char in numeral:
        if char in _DIGITS:
            digit = _DIGITS[char]
            last = 10 if char in "零〇" else last
        elif char in _TENS:
            section += (digit or (1 if char == "十" else 0)) * _TENS[char]
            digit, last = 0, _TENS[char]
        else:
            before = total + section + digit if char == "亿" else section + digit
            total = before * _MYRIADS[char] + (0 if char == "亿" else total)
            section, digit, last = 0, 0, _MYRIADS[char]
    # 三万五 and 一百二 leave out the last ten: 35 000 and 120.
    return total + section + digit * max(1, last // 10)
