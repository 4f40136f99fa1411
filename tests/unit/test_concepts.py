"""A key point is met where its concepts stand together and are meant; a known mistake contradicts it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.claims import PointClaim, Verdict
from bot.domain.question import Misconception, Slot
from bot.domain.target import Target, target_of
from bot.offline.concepts import hits_of, mistakes, point_claims
from bot.offline.overclaims import promises
from bot.offline.reading import Reading
from bot.offline.spelling import Spellings
from tests import fakes
from tests.strategies import answers, decorated

LEXICON = fakes.lexicon()
SPELLINGS = Spellings({})
WRONG = Misconception(
    says="解码可以并行",
    why="后一个依赖前一个。",
    contradicts="a",
    patterns=(("解码", "decode"), ("一次并行", "同时")),
)


def target(*groups: tuple[str, ...], stem: str = "有什么不同？") -> Target:
    """Return a target with one key point of these concept groups."""
    point = fakes.key_point("a", concepts=groups)
    return target_of(fakes.question(stem=stem, points=(point,), misconceptions=(WRONG,)))


def claim(answer: str, *groups: tuple[str, ...], stem: str = "有什么不同？") -> PointClaim:
    asked = target(*groups, stem=stem)
    reading = Reading(answer, stem, LEXICON)
    wrong = mistakes(reading, asked, SPELLINGS)
    (made,) = point_claims(reading, asked, SPELLINGS, LEXICON, wrong)
    return made


class TestVerdict:
    @pytest.mark.parametrize(
        ("answer", "verdict"),
        [
            pytest.param("每步都要读一遍权重", Verdict.MET, id="all groups"),
            pytest.param("权重每步都读一遍", Verdict.MET, id="in another order"),
            pytest.param("每步都要写日志", Verdict.PARTLY_MET, id="half of the groups"),
            pytest.param("调度按优先级来", Verdict.NOT_MET, id="no group"),
            pytest.param("每步都不读权重", Verdict.PARTLY_MET, id="a group negated"),
        ],
    )
    def test_it_follows_from_the_share_of_groups(self, answer: str, verdict: Verdict) -> None:
        assert claim(answer, ("每步", "每轮"), ("读一遍", "读")).verdict is verdict

    def test_less_than_the_rubric_asks_for_is_not_met(self) -> None:
        made = claim("每步都要写日志", ("每步",), ("读",), ("权重",))

        assert (made.verdict, made.sentences) == (Verdict.NOT_MET, ())

    def test_words_of_the_question_alone_are_no_content(self) -> None:
        stem = "权重为什么每步都要读？"

        repeated = claim("因为权重每步都要用到", ("权重",), ("每步",), stem=stem)
        answered = claim("因为权重留不住", ("权重",), ("留不住",), stem=stem)

        assert repeated.verdict is Verdict.NOT_MET
        assert answered.verdict is Verdict.MET

    def test_concepts_that_lie_far_apart_belong_to_different_thoughts(self) -> None:
        near = claim("每步要读权重", ("每步",), ("权重",))
        far = claim("每步要做调度" + "，还有别的开销" * 8 + "，权重另算", ("每步",), ("权重",))

        assert (near.verdict, far.verdict) == (Verdict.MET, Verdict.PARTLY_MET)

    @pytest.mark.parametrize(
        ("slot", "verdict"),
        [
            pytest.param(Slot.PREMISE_COST, Verdict.NOT_MET, id="premise"),
            pytest.param(Slot.REASON, Verdict.MET, id="reason"),
        ],
    )
    def test_a_promise_without_limit_names_no_premise(self, slot: Slot, verdict: Verdict) -> None:
        point = fakes.key_point("a", slot, concepts=(("批次",), ("算力",)))
        asked = target_of(fakes.question(points=(point,)))
        reading = Reading("批次大了永远吃满算力。", asked.stem, LEXICON)

        reading.spoil([one.span for one in promises(reading, LEXICON)])

        (made,) = point_claims(reading, asked, SPELLINGS, LEXICON, ())
        assert made.verdict is verdict


class TestSentences:
    def test_the_sentences_that_show_it_are_cited(self) -> None:
        made = claim("先说调度。每步都要读。读的是权重。再说别的。", ("读",), ("权重",))

        assert made.sentences == (3,)

    def test_concepts_of_two_sentences_cite_both(self) -> None:
        made = claim("先说调度。每步都要读。搬的是权重。", ("读",), ("权重",))

        assert made.sentences == (2, 3)

    def test_of_several_places_the_narrowest_is_cited(self) -> None:
        made = claim("权重很大。放在显存里。每步读它。所以每步读权重。", ("读",), ("权重",))

        assert made.sentences == (4,)


class TestMistakes:
    @pytest.mark.parametrize(
        "answer",
        [
            pytest.param("解码可以一次并行算完。", id="in one clause"),
            pytest.param("Decode 快，因为所有位置同时算。", id="in one sentence"),
        ],
    )
    def test_a_mistake_contradicts_its_key_point(self, answer: str) -> None:
        made = claim(answer, ("逐个",))

        assert (made.verdict, made.sentences) == (Verdict.CONTRADICTED, (1,))

    @pytest.mark.parametrize(
        "answer",
        [
            pytest.param("解码是逐个的。预填充才一次并行。", id="in two sentences"),
            pytest.param("解码不能一次并行，只能逐个。", id="negated"),
            pytest.param("有人说解码可以一次并行，其实只能逐个。", id="refuted"),
            pytest.param("“解码一次并行”是误区，只能逐个。", id="quoted and refuted"),
        ],
    )
    def test_words_that_are_not_meant_are_no_mistake(self, answer: str) -> None:
        assert claim(answer, ("逐个",)).verdict is Verdict.MET

    def test_a_mistake_is_shown_as_whole_clauses(self) -> None:
        asked = target(("逐个",))
        reading = Reading("先说结论：解码可以一次并行算完，很快。", asked.stem, LEXICON)

        (mistake,) = mistakes(reading, asked, SPELLINGS)

        assert reading.original(mistake.found) == "解码可以一次并行算完"
        assert mistake.misconception == WRONG

    def test_a_mistake_made_twice_is_one_mistake(self) -> None:
        asked = target(("逐个",))
        reading = Reading("解码一次并行。解码同时算。", asked.stem, LEXICON)

        assert len(mistakes(reading, asked, SPELLINGS)) == 1


class TestHits:
    @given(
        answer=answers | decorated,
        groups=st.lists(
            st.lists(st.sampled_from("显存带宽权重并行计算abc"), min_size=1, max_size=3).map(tuple),
            min_size=1,
            max_size=4,
        ),
    )
    def test_hits_are_spellings_that_stand_within_the_window(
        self, answer: str, groups: list[tuple[str, ...]]
    ) -> None:
        point = fakes.key_point("a", concepts=groups)
        reading = Reading(answer, "？", LEXICON)

        found = hits_of(reading, point, SPELLINGS, LEXICON)

        assert set(found) <= set(range(len(groups)))
        for number, hit in found.items():
            assert SPELLINGS.any_of(groups[number]).fullmatch(reading.text[hit.start : hit.end])
        if found:
            first = min(hit.start for hit in found.values())
            assert max(hit.end for hit in found.values()) - first <= LEXICON.window
