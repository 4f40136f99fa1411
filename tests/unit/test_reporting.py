"""The report says what was graded and by whom; in Markdown the candidate's words stay text."""

from __future__ import annotations

import html
import re
from datetime import timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from bot.domain.bank import Bank
from bot.domain.claims import AnswerError, Flag, Overclaim, Verdict
from bot.domain.evidence import Evidence, Match
from bot.domain.grade import Grade, Ungraded, UngradedReason
from bot.domain.question import Slot
from bot.domain.report import report_of
from bot.domain.session import AnswerKind, Session, SessionPlan, begin
from bot.domain.usage import Usage
from bot.services.costs import SESSION_COVERS
from bot.services.reporting import (
    FLAG_NAMES,
    NOTHING_GRADED,
    OFFLINE_LABEL,
    SLOT_NAMES,
    VERDICT_NAMES,
    as_markdown,
    document_of,
    escape_markdown,
    judge_label,
    minutes,
)
from tests import fakes
from tests.fakes import NOON
from tests.strategies import BETTER, decorated, sessions

RENDERER = MarkdownIt("gfm-like", {"linkify": False, "html": True})
ASKED = fakes.question(follow_ups=(fakes.follow_up(),))
BANK = fakes.bank(ASKED, *(fakes.question(f"Q0{number}") for number in range(2, 6)))
HOSTILE = [
    "# 标题", "###### 标题", "- 列表", "* 列表", "+ 列表", "1. 列表", "1) 列表", "> 引用", "---", "===", "***",
    "**粗**", "_斜_", "~~删~~", "`代码`", "```\n代码\n```", "    缩进", "\t缩进",
    "[链接](https://example.com)", "![图](https://example.com/a.png)", "<https://example.com>", "[a]: https://b.c",
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<!-- 注释 -->", "&copy; &lt;b&gt;",
    "| a | b |\n|---|---|\n| 1 | 2 |", "$x^2$", "$$x$$", ":red[红]", ":material/home:", "^[脚注]", "\\", "a\\\nb", "行尾  \n下一行",
]  # fmt: skip


def one_answer(
    text: str = "并行计算。",
    outcome: Grade | Ungraded | None = None,
    *,
    kind: AnswerKind = AnswerKind.ANSWERED,
) -> Session:
    session = begin("s", SessionPlan(bank_id="demo", question_ids=("Q01",)), NOON)
    session = session.ask(question_id="Q01", says="请说", now=NOON)
    session = session.answer(text, now=NOON + timedelta(seconds=85), kind=kind)
    return session if outcome is None else session.record("s-1", outcome)


def written(session: Session, bank: Bank = BANK, hours: int = 8) -> str:
    report = report_of(session, bank, fakes.rubrics())
    zone = timezone(timedelta(hours=hours))
    return as_markdown(document_of(report, bank, fakes.rubrics(), zone))


def quoting(text: str) -> Grade:
    """Return a grade in which everything that comes from the answer or a model is `text`."""
    given_ = fakes.graded(
        ASKED,
        overclaims=(Overclaim(start=0, end=1, quote=text, why=text, rewrite=text),),
        errors=(AnswerError(start=0, end=1, quote=text, why=text),),
    )
    cited = fakes.span().model_copy(update={"quote": text})
    criteria = tuple(one.model_copy(update={"evidence": (cited,)}) for one in given_.criteria)
    return given_.model_copy(update={"criteria": criteria})


def shown(rendered: str) -> str:
    """Return what a reader sees of HTML, without space."""
    return re.sub(r"\s", "", html.unescape(re.sub(r"<[^>]*>", "", rendered)))


class TestHead:
    def test_it_names_bank_session_judge_and_score(self) -> None:
        session = one_answer(outcome=fakes.graded(ASKED)).finish(NOON + timedelta(minutes=9))

        text = written(session)

        assert "- 题库：示例题库（demo@1）" in text
        assert "- 场次：s" in text
        assert f"- 评分：{OFFLINE_LABEL}" in text
        assert "- 用时：1 次作答共 85 秒" in text
        assert "## 总评：100 分 · 5 级 优秀" in text

    def test_times_stand_in_the_zone_of_the_reader(self) -> None:
        session = one_answer().finish(NOON + timedelta(minutes=9))

        assert "- 开始：2026-11-30 20:00\n- 结束：2026-11-30 20:09" in written(session)
        assert "- 开始：2026-11-30 12:00" in written(session, hours=0)

    def test_an_unfinished_session_has_no_end(self) -> None:
        assert "- 结束" not in written(one_answer())

    @pytest.mark.parametrize(
        "session",
        [
            pytest.param(one_answer(kind=AnswerKind.SKIPPED), id="skipped"),
            pytest.param(one_answer(), id="not graded"),
            pytest.param(
                begin("s", SessionPlan(bank_id="demo", question_ids=("Q01",)), NOON), id="new"
            ),
        ],
    )
    def test_without_a_graded_answer_it_says_so_and_shows_no_score(self, session: Session) -> None:
        text = written(session)

        assert f"## {NOTHING_GRADED}" in text
        assert "总评" not in text

    def test_grades_from_different_judges_come_with_a_warning(self) -> None:
        llm = fakes.provenance("llm", model="m-1", prompt_version="p-2", method="json_schema")
        plan = SessionPlan(bank_id="demo", question_ids=("Q01", "Q02"))
        session = begin("s", plan, NOON)
        for number, source in enumerate((fakes.provenance(), llm), start=1):
            session = session.ask(question_id=f"Q0{number}", says="说", now=NOON)
            session = session.answer("并行", now=NOON)
            session = session.record(f"s-{number}", fakes.graded(ASKED, source=source))

        text = written(session)

        assert "评分来源不同，总分只作参考" in text
        assert f"- 评分：{OFFLINE_LABEL}、模型评分 · m-1 · p-2 · json\\_schema" in text
        assert f"| {OFFLINE_LABEL} | structured-answer@1 | demo@1 | 1 | 0 | 0.0 秒 |" in text
        assert "| 模型评分 · m-1 · p-2 · json\\_schema | structured-answer@1 | demo@1 | 1 |" in text

    def test_one_judge_comes_without_a_warning(self) -> None:
        assert "只作参考" not in written(one_answer(outcome=fakes.graded(ASKED)))


class TestAnswer:
    def test_it_shows_criteria_with_their_evidence_and_what_is_missing_first(self) -> None:
        given_ = fakes.graded(ASKED, {"b": Verdict.NOT_MET, "c": Verdict.PARTLY_MET})

        text = written(one_answer(outcome=given_))

        level = f"{given_.level} 级 {fakes.LEVEL_NAMES[given_.level]}"
        assert f"**{given_.score:g} 分 · {level}**：{OFFLINE_LABEL}" in text
        assert f"| 结论 | 15 / 15 | {'证' * 9} |" in text
        assert "| 原因 | 0 / 20 | — |" in text
        assert "**采分点（说到 1 / 3）**" in text
        assert (
            "- **没有说到**：采分点 b（原因）\n"
            "- **部分说到**：采分点 c（前提/代价）\n"
            "- **说到**：采分点 a（结论）" in text
        )

    def test_it_shows_the_reference_in_its_parts(self) -> None:
        text = written(one_answer(outcome=fakes.graded(ASKED)))

        assert f"**参考答案**\n\n- **结论**：{ASKED.reference.conclusion}" in text
        assert f"- **前提/代价**：{ASKED.reference.premise_cost}" in text

    def test_it_shows_faults_with_their_reasons(self) -> None:
        over = Overclaim(start=0, end=2, quote="一定", why="没有条件。", rewrite="通常")
        wrong = AnswerError(start=0, end=2, quote="串行", why="其实并行")
        given_ = fakes.graded(ASKED, overclaims=(over,), errors=(wrong,), flags=(Flag.INJECTION,))

        text = written(one_answer(outcome=given_))

        assert "- **绝对化断言**：“一定”：没有条件。改写：通常" in text
        assert "- **错误**：“串行”：其实并行" in text
        assert f"- **提示**：{FLAG_NAMES[Flag.INJECTION]}" in text
        assert "- **绝对化断言**：1 处" in text

    def test_it_shows_what_a_model_s_grade_cost_and_how_sure_it_was(self) -> None:
        usage = Usage(prompt=100, cached=20, reply=30)
        source = fakes.provenance("llm", model="m", tokens=130, usage=usage, seconds=2.5)
        given_ = fakes.graded(ASKED, source=source)
        given_ = given_.model_copy(update={"spread": 12.5, "confidence": 0.7})

        text = written(one_answer(outcome=given_))

        assert "130 token（输入 100，其中缓存 20；输出 30） · 2.5 秒" in text
        assert "判定把握 0.70 · 多次评分相差 12.5 分" in text
        assert (
            f"**用量**：130 token（输入 100，其中缓存 20；输出 30）（{SESSION_COVERS}）。" in text
        )

    def test_it_shows_guesses_beside_grades_and_how_the_answer_was_said(self) -> None:
        plan = SessionPlan(bank_id="demo", question_ids=("Q01",), self_score=True)
        session = begin("s", plan, NOON).ask(question_id="Q01", says="请说", now=NOON)
        session = session.answer("嗯，并行计算。", now=NOON + timedelta(seconds=60)).guess("s-1", 3)

        text = written(session.record("s-1", fakes.graded(ASKED)))

        assert "自评 3 级，低估 2 级" in text
        assert "## 自评与评分\n\n共 1 次自评。" in text
        assert "| Q01 | 3 级 | 5 级 | 低估 2 级 |" in text
        assert "## 表达（不计分）" in text
        assert re.search(r"\*\*表达（不计分）\*\*：5 字 · 5 字/分（含思考） · .*口头语 1 处", text)

    def test_it_shows_the_better_answer(self) -> None:
        session = one_answer(outcome=fakes.graded(ASKED)).improve("s-1", BETTER)

        text = written(session)

        assert "**更好的回答**：由 m 改写；【】里是补上或改正的内容。" in text
        assert f"- **前提/代价**：{BETTER.premise_cost}" in text

    def test_a_quote_that_was_looked_up_loosely_says_so_and_a_long_one_is_shortened(self) -> None:
        close = Evidence(start=0, end=80, quote="长" * 80, match=Match.CLOSE)
        given_ = fakes.graded(ASKED)
        criteria = tuple(one.model_copy(update={"evidence": (close,)}) for one in given_.criteria)

        text = written(one_answer(outcome=given_.model_copy(update={"criteria": criteria})))

        assert f"| {'长' * 60}……（与原话相近） |" in text

    def test_the_interviewer_s_own_words_are_shown_but_no_echo_of_the_stem(self) -> None:
        def said(words: str) -> str:
            session = begin("s", SessionPlan(bank_id="demo", question_ids=("Q01",)), NOON)
            return written(session.ask(question_id="Q01", says=words, now=NOON))

        assert "**面试官**：换个说法问你" in said("换个说法问你")
        assert "面试官" not in said(f"第 1 题：{ASKED.stem}")

    def test_a_point_that_the_bank_does_not_have_any_more_is_still_listed(self) -> None:
        given_ = fakes.graded(fakes.question(points=(fakes.key_point("old"),)))

        assert r"- **说到**：Q01\.old（题库里已没有这一点）" in written(one_answer(outcome=given_))

    def test_it_says_why_an_answer_has_no_grade(self) -> None:
        reason = Ungraded(
            id="a", question_id="Q01", reason=UngradedReason.JUDGE_UNAVAILABLE, message="连不上。"
        )

        assert "**未评分**：连不上。" in written(one_answer(outcome=reason))
        assert "**未评分**：还没有评分。" in written(one_answer())

    def test_a_skipped_question_shows_neither_answer_nor_score(self) -> None:
        text = written(one_answer(kind=AnswerKind.SKIPPED))

        assert "（跳过，用时 85 秒）" in text
        assert "未评分" not in text

    def test_a_follow_up_stands_below_its_question(self) -> None:
        session = one_answer(outcome=fakes.graded(ASKED))
        session = session.ask(question_id="Q01", follow_up_id="f1", says="为什么", now=NOON)

        text = written(session.answer("因为分摊", now=NOON))

        assert f"## Q01：{ASKED.stem}" in text
        assert f"### 追问：{ASKED.follow_ups[0].asks}" in text
        assert text.index("## Q01") < text.index("### 追问") < text.index("> 因为分摊")


class TestCandidatesText:
    @pytest.mark.parametrize("text", [pytest.param(one, id=repr(one)) for one in HOSTILE])
    def test_it_stays_text(self, text: str) -> None:
        rendered = RENDERER.render(written(one_answer(text)))
        quotation = re.search(r"<blockquote>(.*?)</blockquote>", rendered, re.DOTALL)

        assert quotation is not None
        assert set(re.findall(r"<(\w+)", quotation[1])) <= {"p"}
        assert shown(quotation[1]) == re.sub(r"\s", "", text)

    @pytest.mark.parametrize("text", [pytest.param(one, id=repr(one)) for one in HOSTILE])
    def test_quoted_by_a_judge_it_stays_in_its_line_and_cell(self, text: str) -> None:
        harmless = RENDERER.render(written(one_answer(outcome=quoting("普通的话"))))

        rendered = RENDERER.render(written(one_answer(outcome=quoting(text))))

        assert re.findall(r"<(\w+)", rendered) == re.findall(r"<(\w+)", harmless)

    @given(decorated | st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=60))
    def test_escaped_text_renders_as_itself(self, text: str) -> None:
        line = " ".join(text.split())

        rendered = RENDERER.render(escape_markdown(line))

        assert set(re.findall(r"<(\w+)", rendered)) <= {"p"}
        assert shown(rendered) == re.sub(r"\s", "", line)

    @given(sessions())
    def test_whatever_was_said_every_heading_is_ours(self, session: Session) -> None:
        headings = [line for line in written(session).splitlines() if line.startswith("#")]

        for heading in headings:
            assert re.match(
                r"# 模拟面试复盘报告$|## (总评：.*|没有可评分的回答|逐题|接下来练什么|评分来源"
                r"|自评与评分|表达（不计分）|Q\d+：.*)$|### 追问：",
                heading,
            )


class TestNames:
    def test_every_flag_slot_and_verdict_has_a_name(self) -> None:
        assert set(FLAG_NAMES) == set(Flag)
        assert set(SLOT_NAMES) == set(Slot)
        assert set(VERDICT_NAMES) == set(Verdict)

    def test_the_offline_judge_is_always_labelled_as_one_that_checks_no_facts(self) -> None:
        assert judge_label(fakes.provenance()) == "离线评分 · 不判断事实对错"

    def test_a_model_is_labelled_by_name_prompt_and_method(self) -> None:
        llm = fakes.provenance("llm", model="m", prompt_version="3")

        assert judge_label(llm) == "模型评分 · m · 3"

    @pytest.mark.parametrize(
        ("seconds", "said"),
        [
            pytest.param(0, "0 秒", id="none"),
            pytest.param(85.4, "85 秒", id="short"),
            pytest.param(119.6, "2 分 00 秒", id="rounded up"),
            pytest.param(125, "2 分 05 秒", id="two digits"),
        ],
    )
    def test_durations_read_as_people_say_them(self, seconds: float, said: str) -> None:
        assert minutes(seconds) == said


def test_the_same_report_in_utc_and_elsewhere_differs_in_times_alone() -> None:
    session = one_answer(outcome=fakes.graded(ASKED))

    utc, east = written(session, hours=0).splitlines(), written(session).splitlines()

    assert [line for line, other in zip(utc, east, strict=True) if line != other] == [
        "- 开始：2026-11-30 12:00"
    ]
