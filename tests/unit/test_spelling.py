"""A spelling is matched as people write and say it, and a broken one is named."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.folding import fold
from bot.domain.question import Term
from bot.errors import BankError
from bot.offline.spelling import GAP, MOST_PATTERNS, Spellings, spelling_texts
from tests.strategies import chinese, words

TERMS = {
    "kv": Term(id="kv", says="KV", spellings=("KV", "KV cache", "键值"), slips=("开微",)),
    "prefill": Term(id="prefill", says="Prefill", spellings=("prefill", "预填充"), slips=("批飞",)),
    "both": Term(id="both", says="两者", spellings=("{prefill}~{kv}", "(全部|所有)阶段")),
    "loop": Term(id="loop", says="自己", spellings=("{loop}",)),
}


def found(spelling: str, answer: str) -> str | None:
    """Return the folded words of the answer that the spelling matches."""
    match = Spellings(TERMS).any_of((spelling,)).search(fold(answer).text)
    return match[0] if match else None


class TestWords:
    @pytest.mark.parametrize(
        ("spelling", "answer"),
        [
            pytest.param("并行计算", "它是並行計算的", id="traditional script"),
            pytest.param("并行计算", "并 行\u200b计算", id="space and zero width"),
            pytest.param("首 token", "首token出来了", id="space not written"),
            pytest.param("首token", "首 Token 出来了", id="space written"),
            pytest.param("prefix cache", "用 Prefix Cache 存", id="case"),
            pytest.param("prefix cache", "用prefix-cache存", id="hyphen"),
            pytest.param("prefix cache", "prefix_cache=on", id="underscore"),
            pytest.param("prefix cache", "PrefixCache", id="together"),
            pytest.param("block_table", "block table", id="underscore not written"),
            pytest.param("max_num_seqs", "max-num-seqs", id="three words"),
            pytest.param("KV cache", "KVcache 很大", id="abbreviation with a word"),
            pytest.param("block", "blocks 不够", id="plural"),
            pytest.param("KV head", "8 个 KV heads", id="plural of two words"),
            pytest.param("TTFT", "T T F T 很高", id="letters apart"),
            pytest.param("TTFT", "t.t.f.t", id="letters with points"),
            pytest.param("KV", "K/V 两份", id="letters with a slash"),
            pytest.param("GPU", "GPUs", id="plural of an abbreviation"),
            pytest.param("fp8", "用 FP8 存", id="letters and digit"),
            pytest.param("H100", "h100 上", id="letters and number"),
            pytest.param("batch>8", "batch>8 以后", id="comparison"),
            pytest.param("2*32", "2*32 层", id="product"),
            pytest.param("1.5", "大约1.5倍", id="decimal"),
            pytest.param("1.5", "1.5倍", id="decimal at the start"),
            pytest.param("C++", "用 C++ 写", id="signs"),
        ],
    )
    def test_the_form_does_not_count(self, spelling: str, answer: str) -> None:
        assert found(spelling, answer)

    @pytest.mark.parametrize(
        ("spelling", "answer"),
        [
            pytest.param("hit", "white 的", id="inside a word"),
            pytest.param("page", "paged 的", id="start of a word"),
            pytest.param("hash", "rehash", id="end of a word"),
            pytest.param("KV", "mkv 文件", id="abbreviation inside a word"),
            pytest.param("KV cache", "KV 和 cache", id="something between"),
            pytest.param("token", "t o k e n", id="small letters stay together"),
            pytest.param("1.5", "11.5 倍", id="end of a number"),
            pytest.param("1.5", "1.55 倍", id="start of a number"),
            pytest.param("32", "132 层", id="inside a number"),
            pytest.param("8", "0.8", id="after a point"),
            pytest.param("并行", "并列执行", id="another word"),
        ],
    )
    def test_words_and_numbers_are_whole(self, spelling: str, answer: str) -> None:
        assert found(spelling, answer) is None

    @given(before=chinese, word=words, after=chinese)
    def test_a_word_is_found_between_chinese(self, before: str, word: str, after: str) -> None:
        assert found(word, f"{before}{word.upper()}{after}") == word.lower()

    @given(chinese, st.text("，。；的了是", max_size=8), st.text("，。；的了是", max_size=8))
    def test_chinese_is_found_anywhere(self, spelling: str, before: str, after: str) -> None:
        assert found(spelling, before + spelling + after) == spelling


class TestSigns:
    def test_a_gap_is_bridged_inside_a_sentence(self) -> None:
        assert found("读~权重", "每步都要读一遍全部权重") == "读一遍全部权重"
        assert found("读~权重", "读权重") == "读权重"

    def test_a_gap_keeps_the_order(self) -> None:
        assert found("读~权重", "权重要读一遍") is None

    @pytest.mark.parametrize("end", [pytest.param(one, id=one) for one in "。！？；!?;"])
    def test_a_gap_ends_with_the_sentence(self, end: str) -> None:
        assert found("读~权重", f"先读{end}权重") is None

    def test_a_gap_has_its_length(self) -> None:
        assert found("读~权重", f"读{'一' * GAP}权重")
        assert found("读~权重", f"读{'一' * (GAP + 1)}权重") is None

    @pytest.mark.parametrize(
        "answer", [pytest.param(one, id=one) for one in ("逐个算", "一个一个算")]
    )
    def test_either_side_of_a_bar_matches(self, answer: str) -> None:
        assert found("(逐个|一个一个)算", answer) == answer

    def test_one_side_may_be_empty(self) -> None:
        assert found("(都|)要写", "都要写") == "都要写"
        assert found("(都|)要写", "要写") == "要写"

    @pytest.mark.parametrize(
        "answer", [pytest.param(one, id=one) for one in ("KV", "k v", "KV cache", "键值", "开微")]
    )
    def test_a_term_stands_for_its_spellings_and_slips(self, answer: str) -> None:
        assert found("{kv}", answer)

    def test_a_term_may_be_made_of_terms(self) -> None:
        assert found("{both}", "预填充写好了开微") == "预填充写好了开微"
        assert found("{both}", "所有阶段") == "所有阶段"

    def test_the_signs_combine(self) -> None:
        assert found("{prefill}~(写|存)~{kv}", "批飞的时候把每层的 KV 写好，键值") is not None

    def test_any_spelling_of_a_group_will_do(self) -> None:
        pattern = Spellings(TERMS).any_of(("并行", "{kv}", "(一起|同时)算"))

        hits = [match[0] for match in pattern.finditer(fold("并行，同时算，键值").text)]

        assert hits == ["并行", "同时算", "键值"]

    def test_other_signs_of_regular_expressions_mean_themselves(self) -> None:
        assert found("O(n)", "O(n)") is None, "brackets are signs of the language"
        assert found("a.b", "axb") is None
        assert found("[1]", "1") is None
        assert found("p=q", "p=q") == "p=q"


class TestBroken:
    @pytest.mark.parametrize(
        ("spelling", "sentence"),
        [
            pytest.param(
                "{unknown}", r"'\{unknown\}' 引用了题库里没有的术语 'unknown'", id="unknown term"
            ),
            pytest.param("{}", "没有的术语 ''", id="empty term"),
            pytest.param("{loop}", "没有的术语 'loop'", id="term of itself"),
            pytest.param("{kv", "花括号不成对", id="brace not closed"),
            pytest.param("kv}", "花括号不成对", id="brace not opened"),
            pytest.param("(读|写", "括号不成对", id="bracket not closed"),
            pytest.param("读)写", "括号不成对", id="bracket not opened"),
            pytest.param(")读(", "括号不成对", id="brackets the wrong way round"),
            pytest.param("读|写", "括号外有“|”", id="bar outside brackets"),
        ],
    )
    def test_what_is_wrong_with_a_spelling_is_said(self, spelling: str, sentence: str) -> None:
        with pytest.raises(BankError, match=sentence):
            Spellings(TERMS).any_of(("并行", spelling))

    @given(st.text("读写kvAB12~(|){}*>. -", max_size=16))
    def test_a_spelling_is_compiled_or_refused(self, spelling: str) -> None:
        try:
            pattern = Spellings(TERMS).any_of((spelling,))
        except BankError:
            return

        pattern.search("读写kv")


def test_a_group_is_compiled_once_and_old_ones_are_let_go() -> None:
    spellings = Spellings(TERMS)
    first = spellings.any_of(("并行",))
    again = spellings.any_of(("并行",))

    for number in range(MOST_PATTERNS):
        spellings.any_of((f"词{number}",))

    assert first is again
    assert spellings.any_of(("并行",)) is not first


def test_spellings_are_shown_without_their_signs() -> None:
    assert list(spelling_texts(("{kv}~读", "并行"))) == ["kv…读", "并行"]
    assert list(spelling_texts(("(逐个|一个一个)~(算|生成)",))) == ["逐个…算"]
