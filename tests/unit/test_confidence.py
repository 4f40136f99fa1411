"""How sure a model was, read off its tokens, however they are cut."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.adapters.logprobs import tokens_of as read
from bot.domain.confidence import Token, confidence, likelihoods
from bot.services.llm_judge import CHOICES, confidence_of
from tests.chats import as_openai, judged, tokens_of, weighed

REPLY = judged({"a": "met", "b": "part", "c": "no", "d": "wrong"}, {"conclusion": 2, "reason": 0})
WRITTEN = ["met", "part", "no", "wrong", "2", "0"]
TEXT = json.dumps(REPLY, ensure_ascii=False)


def likely(tokens: list[Token], written: list[str] = WRITTEN) -> list[float]:
    return [round(one, 6) for one in likelihoods(tokens, written, CHOICES)]


class TestLikelihoods:
    @pytest.mark.parametrize(
        "pattern",
        [
            pytest.param(r"\w+|\s+|[^\w\s]", id="words alone"),
            pytest.param(r'"?\w+"?|\s+|[^\w\s]', id="quotes join the words"),
            pytest.param(r"[^\w]*\w+|[^\w]+", id="all that stands before joins the words"),
            pytest.param(r"\s*\w+[^\w]*|[^\w]+", id="all that stands after joins the words"),
        ],
    )
    def test_each_verdict_has_its_probability_however_the_text_is_cut(self, pattern: str) -> None:
        assert likely(tokens_of(TEXT, 0.7, pattern)) == [0.7] * 6

    @given(st.lists(st.integers(1, 5), min_size=1))
    def test_any_cut_finds_all_verdicts(self, lengths: list[int]) -> None:
        tokens, rest = [], TEXT
        while rest:
            size = lengths[len(tokens) % len(lengths)]
            tokens.append(Token(rest[:size], -0.25))
            rest = rest[size:]

        assert likely(tokens) == [round(math.exp(-0.25), 6)] * 6

    def test_a_word_in_pieces_is_decided_by_its_first(self) -> None:
        tokens = [
            Token('{"v": "', 0.0),
            Token("w", math.log(0.6), (("w", math.log(0.6)), ("m", math.log(0.2)))),
            Token("rong", math.log(0.5)),
            Token('"}', 0.0),
        ]

        assert likely(tokens, ["wrong"]) == [0.75]

    def test_what_is_no_verdict_takes_nothing_away(self) -> None:
        """Where a grammar holds the model to the form, other words were likely but not allowed."""
        rivals = (("met", -1.0), (" met", -2.0), ('met"', -2.0), ("meta", -0.5), ("是", -1.0))
        tokens = [Token('"v":"', 0.0), Token("met", -1.0, rivals), Token('"', 0.0)]

        assert likely(tokens, ["met"]) == [1.0]

    def test_without_a_rival_the_probability_is_taken_as_it_is_told(self) -> None:
        alone = ((), (("met", math.log(0.8)),))

        for others in alone:
            tokens = [Token('"v":"', 0.0), Token("met", math.log(0.8), others), Token('"', 0.0)]
            assert likely(tokens, ["met"]) == [0.8]

    def test_a_draft_before_the_reply_does_not_count(self) -> None:
        draft = tokens_of('<think>{"v": "no"} {"v": "met"}</think>', 0.51)

        assert likely(draft + tokens_of(TEXT, 0.9)) == [0.9] * 6

    def test_a_quote_in_a_reply_is_no_verdict(self) -> None:
        quote = json.dumps({"quote": '{"v": "met"}'})

        assert likely(tokens_of(TEXT, 0.9) + tokens_of(quote, 0.5)) == [0.9] * 6

    @pytest.mark.parametrize(
        "tokens",
        [
            pytest.param([], id="none"),
            pytest.param(tokens_of(TEXT[:60]), id="cut"),
            pytest.param([Token("token_id:17", 0.0)] * 80, id="numbers of tokens"),
            pytest.param(tokens_of(TEXT.replace("wrong", "met")), id="another reply"),
        ],
    )
    def test_tokens_that_do_not_spell_the_verdicts_tell_nothing(self, tokens: list[Token]) -> None:
        assert likely(tokens) == []

    @given(st.lists(st.builds(Token, st.text(alphabet='{}"v:met 012no', max_size=6), st.floats())))
    def test_any_tokens_can_be_read(self, tokens: list[Token]) -> None:
        assert all(0 <= one <= 1 for one in likelihoods(tokens, ["met"], CHOICES))


class TestConfidence:
    def test_key_points_and_slots_count_alike(self) -> None:
        assert confidence([[1.0] * 8, [0.5, 0.7]]) == 0.8

    def test_without_a_verdict_there_is_none(self) -> None:
        assert confidence([]) is None
        assert confidence([[], []]) is None

    def test_one_group_is_enough(self) -> None:
        assert confidence([[0.9], []]) == 0.9

    @pytest.mark.parametrize("sure", [0.6, 0.95])
    def test_it_is_read_off_a_whole_reply(self, sure: float) -> None:
        assert confidence_of(weighed(REPLY, sure)) == pytest.approx(sure)

    def test_a_reply_without_probabilities_has_none(self) -> None:
        assert confidence_of(weighed(REPLY, 0.6).model_copy(update={"tokens": ()})) is None


class TestReading:
    def test_the_form_of_openai_is_read(self) -> None:
        tokens = tokens_of(TEXT, 0.8)

        assert list(read(as_openai(tokens))) == tokens

    @pytest.mark.parametrize(
        "given_",
        [
            None,
            [],
            "logprobs",
            {},
            {"content": None},
            {"content": {}},
            {"content": ["met"]},
            {"content": [{"token": "met"}]},
            {"content": [{"token": "met", "logprob": None}]},
            {"content": [{"token": "met", "logprob": "-0.1"}]},
            {"content": [{"token": "met", "logprob": math.nan}]},
            {"content": [{"token": None, "logprob": -0.1, "top_logprobs": []}]},
            {"content": [{"token": "met", "logprob": "-0.1", "top_logprobs": []}]},
            {"content": [{"token": "met", "logprob": math.nan, "top_logprobs": []}]},
            {"content": [{"token": "met", "logprob": True, "top_logprobs": []}]},
            {"content": [{"token": "met", "logprob": -1, "top_logprobs": [None]}]},
            {"content": [{"token": "met", "logprob": -0.1}, {"token": 7, "logprob": -0.1}]},
            {"tokens": ["met"], "token_logprobs": [-0.1]},
        ],
    )
    def test_another_form_is_no_token_at_all(self, given_: object) -> None:
        assert read(given_) == ()

    def test_there_need_be_no_alternatives(self) -> None:
        one = {"token": "a", "logprob": -1, "top_logprobs": None, "bytes": [97]}

        assert read({"content": [one, {**one, "top_logprobs": []}]}) == (Token("a", -1.0),) * 2
