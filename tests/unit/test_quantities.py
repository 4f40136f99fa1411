"""Numbers with units are read however people write, type or say them."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.folding import fold
from bot.offline import units
from bot.offline.numerals import value_of
from bot.offline.quantities import Quantity, quantities
from tests.strategies import any_text, decorated

DIGITS = "零一二三四五六七八九"


def read(text: str) -> tuple[Quantity, ...]:
    return quantities(fold(text).text)


def values(text: str, unit: str, near: float) -> list[float]:
    """Return the numbers that may be in the unit, converted to it in their reading nearest to one."""
    found = []
    for one in read(text):
        factors = [units.factor(reading, unit) for reading in one.readings]
        amounts = [one.low * factor for factor in factors if factor is not None]
        if amounts:
            found.append(min(amounts, key=lambda amount: abs(amount - near)))
    return found


def spoken(number: int) -> str:
    """Return a whole number below ten thousand as it is said."""
    said, gap = "", False
    for place, name in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit = number // place % 10
        if digit:
            said += ("零" if gap and said else "") + DIGITS[digit] + name
            gap = False
        else:
            gap = True
    return said.removeprefix("一") if 10 <= number < 20 else said


class TestReading:
    @pytest.mark.parametrize(
        ("text", "value", "unit"),
        [
            ("16 GiB", 16, "GiB"),
            ("16GiB", 16, "GiB"),
            ("约16 gib左右", 16, "GiB"),
            ("１６ＧｉＢ", 16, "GiB"),
            ("１．５ ＧｉＢ", 1.5, "GiB"),
            ("16,384 MiB", 16, "GiB"),
            ("16384MiB", 16, "GiB"),
            ("1.6e4 MB", 16, "GB"),
            ("1.6×10^4 MB", 16, "GB"),
            ("1.6x10^4 MB", 16, "GB"),
            ("1.6*10^4 MB", 16, "GB"),
            ("1.6 × 10^4 MB", 16, "GB"),
            ("1.6×10⁴ MB", 16, "GB"),
            ("1.6 乘以 10 的 4 次方 MB", 16, "GB"),
            ("2^34 字节", 16, "GiB"),
            ("2 的 34 次方字节", 16, "GiB"),
            ("17,179,869,184 bytes", 16, "GiB"),
            ("13.1072 万字节", 128, "KiB"),
            ("十三万一千零七十二字节", 128, "KiB"),
            ("1.31 亿字节", 131, "MB"),
            ("128 KiB", 128, "KiB"),
            ("128 千字节", 128, "kB"),
            ("0.5TB", 500, "GB"),
            ("16 个 G", 16, "GiB"),
            ("16G", 16, "GB"),
            ("一个 G", 1, "GiB"),
            ("两个 GiB", 2, "GiB"),
            ("十六个 G", 16, "GiB"),
            ("512M 显存", 512, "MiB"),
            ("512 兆", 512, "MB"),
            ("8.59 Gbit", 8.59, "gigabit"),
            ("8.59 吉比特", 8.59, "gigabit"),
            ("400 Gbps", 400, "gigabit / second"),
            ("400Gbit/s", 400, "gigabit / second"),
            ("3.35 TB/s", 3350, "GB / second"),
            ("21.5 ms", 21.5, "ms"),
            ("21.5ms。", 21.5, "ms"),
            ("21.5 毫秒", 21.5, "ms"),
            ("二十一点五毫秒", 21.5, "ms"),
            ("二十一点五 毫秒", 21.5, "ms"),
            ("零点零二一五秒", 21.5, "ms"),
            ("0.0215 s", 21.5, "ms"),
            ("0.0215秒钟", 21.5, "ms"),
            ("21500 µs", 21.5, "ms"),
            ("21500 us", 21.5, "ms"),
            ("21500 微秒", 21.5, "ms"),
            ("2.15e-2 s", 21.5, "ms"),
            ("2.15×10^-2 秒", 21.5, "ms"),
            ("三百二十毫秒", 320, "ms"),
            ("1.5 minutes", 90, "s"),
            ("两分钟", 120, "s"),
            ("24 个请求", 24, "request"),
            ("24 路并发", 24, "request"),
            ("24 路", 24, "request"),
            ("24 个并发请求", 24, "request"),
            ("24 requests", 24, "request"),
            ("二十四个请求", 24, "request"),
            ("24 条", 24, "request"),
            ("1.2 万个请求", 12000, "request"),
            ("3 req/s", 3, "request/s"),
            ("3 requests per second", 3, "request/s"),
            ("3 个请求/秒", 3, "request/s"),
            ("3 个请求每秒", 3, "request/s"),
            ("每秒 3 个请求", 3, "request/s"),
            ("每秒大概能完成 3 个", 3, "request/s"),
            ("每秒三个请求", 3, "request/s"),
            ("3 QPS", 3, "request/s"),
            ("3rps", 3, "request/s"),
            ("2400 tokens/s", 2400, "token/s"),
            ("2.4k tokens/s", 2400, "token/s"),
            ("每秒约 2400 token", 2400, "token/s"),
            ("2400 tok/s", 2400, "token/s"),
            ("8192 个 token", 8192, "token"),
            ("八千一百九十二个 token", 8192, "token"),
            ("8K tokens", 8000, "token"),
            ("80%", 80, "percent"),
            ("百分之八十", 80, "percent"),
            ("百分之 12.5", 12.5, "percent"),
        ],
    )
    def test_a_number_is_read_in_its_unit(self, text: str, value: float, unit: str) -> None:
        assert values(text, unit, value) == [pytest.approx(value, rel=1e-3)]

    @pytest.mark.parametrize(
        ("text", "low", "high"),
        [
            ("20~22 ms", 20, 22),
            ("20～22ms", 20, 22),
            ("20-22 ms", 20, 22),
            ("20 到 22 毫秒", 20, 22),
            ("20ms 至 22ms", 20, 22),
            ("二十到二十二毫秒", 20, 22),
        ],
    )
    def test_a_range_has_two_ends(self, text: str, low: float, high: float) -> None:
        (found,) = read(text)

        assert (found.low, found.high, found.readings) == (low, high, ("millisecond",))

    @pytest.mark.parametrize(
        "text",
        [
            "一般来说",
            "万一失败",
            "千万别这样",
            "一下子",
            "H100 和 FP8",
            "bf16",
            "Q04",
            "两者",
            "v1",
        ],
    )
    def test_words_and_names_are_no_numbers(self, text: str) -> None:
        assert read(text) == ()

    def test_a_number_without_unit_has_no_reading(self) -> None:
        assert [(one.low, one.readings) for one in read("L = 24")] == [(24, ())]

    def test_factors_of_a_product_are_read_one_by_one(self) -> None:
        found = read("2*32*8*128*2*8192 = 1 GiB")

        assert [one.low for one in found] == [2, 32, 8, 128, 2, 8192, 1]
        assert found[-1].readings == ("gibibyte",)

    @pytest.mark.parametrize(
        ("numeral", "value"),
        [
            ("十", 10),
            ("十五", 15),
            ("二十", 20),
            ("一百零二", 102),
            ("一百二", 120),
            ("两千", 2000),
            ("三万五", 35_000),
            ("二零四八", 2048),
            ("一万零五", 10_005),
            ("一亿零七百三十七万", 107_370_000),
            ("四点二九", 4.29),
            ("十点五", 10.5),
        ],
    )
    def test_chinese_numerals_have_their_value(self, numeral: str, value: float) -> None:
        assert value_of(numeral) == value


class TestAgreeing:
    @pytest.mark.parametrize(
        ("text", "wanted", "agrees"),
        [
            ("21.5 ms", 21.47, True),
            ("21 ms", 21.47, True),
            ("22 ms", 21.47, False),
            ("20 ms", 21.47, False),
            ("1.1 ms", 1.051, True),
            ("1 ms", 1.051, False),
            ("20~23 ms", 21.47, True),
            ("1~100 ms", 21.47, False),
            ("22~23 ms", 21.47, False),
        ],
    )
    def test_rounding_is_right_and_guessing_is_not(
        self, text: str, wanted: float, agrees: bool
    ) -> None:
        assert read(text)[0].agrees(wanted, 0.01) is agrees


class TestUnits:
    @pytest.mark.parametrize(
        ("unit", "other", "factor"),
        [
            ("GiB", "GB", 1.073741824),
            ("byte", "bit", 8),
            ("GB", "gigabit", 8),
            ("s", "ms", 1000),
            ("kilorequest", "request", 1000),
            ("request / second", "request/s", 1),
        ],
    )
    def test_units_of_one_kind_convert(self, unit: str, other: str, factor: float) -> None:
        assert units.factor(unit, other) == pytest.approx(factor)

    @pytest.mark.parametrize(
        ("unit", "other"),
        [
            ("GiB", "ms"),
            ("request", "request/s"),
            ("request", "token"),
            ("GB", "GB / second"),
            ("percent", "request"),
            ("thing", "request"),
        ],
    )
    def test_units_of_two_kinds_do_not(self, unit: str, other: str) -> None:
        assert units.factor(unit, other) is None

    def test_a_prefix_has_its_binary_or_decimal_other(self) -> None:
        assert units.other_prefix("gigabyte") == "gibibyte"
        assert units.other_prefix("kibibyte") == "kilobyte"
        assert units.other_prefix("byte") is None
        assert units.other_prefix("millisecond") is None


_amounts = st.floats(0.01, 9999).map(lambda value: float(f"{value:.3g}"))


class TestAnyNumber:
    @given(_amounts, st.sampled_from(["{} GiB", "{}GiB", "约 {} GiB", "{}个G", "等于{}gib。"]))
    def test_a_written_number_is_read_back(self, amount: float, form: str) -> None:
        assert values(form.format(f"{amount:f}"), "GiB", amount) == [
            pytest.approx(amount, rel=1e-3)
        ]

    @given(_amounts, st.sampled_from(["{:.3e} ms", "{:.3E}毫秒"]))
    def test_a_scientific_number_is_read_back(self, amount: float, form: str) -> None:
        assert values(form.format(amount), "ms", amount) == [pytest.approx(amount, rel=1e-3)]

    @given(_amounts, st.integers(-3, 9))
    def test_a_power_of_ten_is_read_back(self, amount: float, power: int) -> None:
        wanted = amount * 10.0**power

        assert values(f"{amount:f}×10^{power} B", "B", wanted) == [pytest.approx(wanted, rel=1e-3)]

    @given(st.integers(1000, 10**12), st.sampled_from(["{:,} 字节", "{} 字节"]))
    def test_a_long_number_is_read_back(self, amount: int, form: str) -> None:
        assert values(form.format(amount), "B", amount) == [amount]

    @given(st.integers(1, 9999))
    def test_a_spoken_number_is_read_back(self, amount: int) -> None:
        assert values(f"大概{spoken(amount)}毫秒", "ms", amount) == [amount]

    @given(st.integers(0, 99), st.integers(1, 9))
    def test_a_spoken_decimal_is_read_back(self, whole: int, tenths: int) -> None:
        said = f"{spoken(whole) or '零'}点{DIGITS[tenths]}秒"

        wanted = whole + tenths / 10

        assert values(said, "s", wanted) == [pytest.approx(wanted)]

    @given(_amounts)
    def test_full_width_digits_are_read_as_half_width(self, amount: float) -> None:
        wide = f"{amount:f} GiB".translate(
            {0x2E: "．", **{0x30 + d: 0xFF10 + d for d in range(10)}}
        )

        assert values(wide, "GiB", amount) == values(f"{amount:f} GiB", "GiB", amount)

    @given(
        st.one_of(
            any_text, decorated, st.text("0123456789.,eE+-×x*^零一二十百千万亿点到~ 个Gms秒%")
        )
    )
    def test_no_text_raises_and_spans_lie_in_order(self, text: str) -> None:
        folded = fold(text).text

        found = quantities(folded)

        assert all(0 <= one.start < one.end <= len(folded) for one in found)
        assert all(a.end <= b.start for a, b in pairwise(found))

    @given(st.text("零一二十百千万亿点", min_size=1, max_size=60))
    def test_no_row_of_numerals_raises(self, text: str) -> None:
        quantities(f"等于{text}字节")
