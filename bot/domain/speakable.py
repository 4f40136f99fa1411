"""Speakable text (朗读文本): code, formulas and signs as words that a voice can say."""

from __future__ import annotations

import re

_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_CODE = re.compile(r"`([^`\n]*)`")
_MARKS = re.compile(r"[*#>|~]{2,}|(?m:^\s*[#>*+-]+\s+)")

_UNITS = {
    "GB/s": "GB 每秒", "GiB/s": "GiB 每秒", "MB/s": "MB 每秒", "TB/s": "TB 每秒",
    "Gbps": "Gb 每秒", "tok/s": "token 每秒", "token/s": "token 每秒", "tokens/s": "token 每秒",
    "req/s": "请求每秒", "ms": "毫秒", "us": "微秒", "μs": "微秒", "ns": "纳秒", "s": "秒",
    "TFLOPS": "T FLOPS", "FLOP/s": "FLOP 每秒",
}  # fmt: skip
_UNIT = re.compile(
    rf"(?<=\d)\s*({'|'.join(sorted(map(re.escape, _UNITS), key=len, reverse=True))})(?![A-Za-z/])"
)
_RATE = re.compile(r"\b(GB|GiB|MB|TB|tokens?|tok|req|FLOPs?)/s\b")

_POWER = re.compile(r"(?<=[\w)])\s*(?:\*\*|\^)\s*(-?\w+)")
_SUPERSCRIPT = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_RAISED = re.compile(r"(?<=[\w)])([⁰¹²³⁴⁵⁶⁷⁸⁹]+)")
_PLACE = re.compile(r"第\s*(\d+)\s*/\s*(\d+)\s*(题|页|张)")
_RANGE = re.compile(r"(?<=\d)\s*[–—~～-]\s*(?=\d)")
_DIVIDED = re.compile(r"(?<=[\d)])\s*[/÷]\s*(?=[\d(])")
_MINUS = re.compile(r"(?<=[\w)])\s+-\s+(?=[\w(])")

_SIGNS: tuple[tuple[str, str], ...] = (
    ("<=", "小于等于"), (">=", "大于等于"), ("!=", "不等于"), ("==", "等于"), ("->", "到"),
    ("=>", "到"), ("≤", "小于等于"), ("≥", "大于等于"), ("≠", "不等于"), ("≈", "约等于"),
    ("→", "到"), ("⇒", "推出"), ("←", "来自"), ("×", "乘以"), ("·", " "), ("÷", "除以"),
    ("±", "正负"), ("∝", "正比于"), ("∞", "无穷"), ("Σ", "求和"), ("∑", "求和"), ("√", "根号"),
    ("=", "等于"), ("<", "小于"), (">", "大于"), ("+", "加"), ("*", "乘以"), ("&", "和"),
    ("/", "、"), ("_", " "), ("|", " "), ("~", "约"),
)  # fmt: skip
_ALLOWED = re.compile(r"C\+\+|(?<=\w)\+\+")


def speakable(text: str) -> str:
    """Return the text as a voice should say it: no code fences, signs as words, one line.

    A slash between numbers divides, one between words lists them: 前提/代价 is 前提、代价.
    """
    said = _FENCE.sub("（代码见屏幕）", text)
    said = _CODE.sub(r"\1", said)
    said = _MARKS.sub(" ", said)
    said = _ALLOWED.sub(" plus plus", said)
    said = _PLACE.sub(r"第 \1 \3，共 \2 \3", said)
    said = _RATE.sub(lambda match: f"{match[1]} 每秒", said)
    said = _UNIT.sub(lambda match: f" {_UNITS[match[1]]}", said)
    said = _RAISED.sub(lambda match: f" 的 {match[1].translate(_SUPERSCRIPT)} 次方", said)
    said = _POWER.sub(lambda match: f" 的 {match[1]} 次方", said)
    said = _RANGE.sub(" 到 ", said)
    said = _DIVIDED.sub(" 除以 ", said)
    said = _MINUS.sub(" 减 ", said)
    for sign, words in _SIGNS:
        said = said.replace(sign, f" {words} " if words.strip() and words != "、" else words)
    said = re.sub(r"[\[\]{}\\\"“”「」『』]", " ", said)
    return re.sub(r"\s+([，。！？、；：）])", r"\1", re.sub(r"\s+", " ", said)).strip()
