"""The Markdown report says what was graded and by whom; the candidate's words stay plain text."""

from __future__ import annotations

import html
import re
from datetime import UTC, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from bot.domain.bank import Bank
from bot.domain.claims import AnswerError, Flag, Overclaim, Verdict
from bot.domain.grade import Grade, Ungraded, UngradedReason
from bot.domain.question import Slot
from bot.domain.report import report_of
from bot.domain.session import AnswerKind, Session, SessionPlan, begin
from bot.services.reporting import (
    FLAG_NAMES,
    NOTHING_GRADED,
    OFFLINE_LABEL,
    SLOT_NAMES,
    VERDICT_NAMES,
    escape_markdown,
    judge_label,
    markdown,
    minutes,
)
from tests import fakes
from tests.fakes import NOON
from tests.strategies import decorated, sessions

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
    return markdown(report, bank, fakes.rubrics(), timezone(timedelta(hours=hours)))


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
        assert f"- 评分：{OFFLINE_LABEL}（structured-answer@1，—）" in text
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

        assert f"**{NOTHING_GRADED}**" in text
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
        assert f"- 评分：{OFFLINE_LABEL}" in text
        assert "- 评分：模型评分 · m-1 · p-2 · json_schema" in text

    def test_one_judge_comes_without_a_warning(self) -> None:
        assert "只作参考" not in written(one_answer(outcome=fakes.graded(ASKED)))


class TestAnswer:
    def test_it_shows_criteria_with_their_evidence_and_verdicts(self) -> None:
        given_ = fakes.graded(ASKED, {"b": Verdict.NOT_MET, "c": Verdict.PARTLY_MET})

        text = written(one_answer(outcome=given_))

        assert f"**{given_.score:g} 分 · {given_.level} 级" in text
        assert f"（{OFFLINE_LABEL}）" in text
        assert f"| 结论 | 15/15 | {'证' * 9} |" in text
        assert "| 原因 | 0/20 | — |" in text
        assert "- 说到：采分点 a\n- 没有说到：采分点 b\n- 部分说到：采分点 c" in text
        assert f"参考答案：{ASKED.reference.joined}" in text

    def test_it_shows_faults_with_their_reasons(self) -> None:
        over = Overclaim(start=0, end=2, quote="一定", why="没有条件", rewrite="通常")
        wrong = AnswerError(start=0, end=2, quote="串行", why="其实并行")
        given_ = fakes.graded(ASKED, overclaims=(over,), errors=(wrong,), flags=(Flag.INJECTION,))

        text = written(one_answer(outcome=given_))

        assert "- 绝对化：“一定” 没有条件。改写：通常" in text
        assert "- 错误：“串行” 其实并行" in text
        assert f"- 提示：{FLAG_NAMES[Flag.INJECTION]}" in text
        assert "- 绝对化断言：1 处" in text

    def test_it_says_why_an_answer_has_no_grade(self) -> None:
        reason = Ungraded(
            id="a", question_id="Q01", reason=UngradedReason.JUDGE_UNAVAILABLE, message="连不上。"
        )

        assert "**未评分**：连不上。" in written(one_answer(outcome=reason))
        assert "**未评分**：还没有评分。" in written(one_answer())

    def test_a_skipped_question_shows_neither_answer_nor_score(self) -> None:
        text = written(one_answer(kind=AnswerKind.SKIPPED))

        assert "（跳过）" in text
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
                r"# 模拟面试复盘报告|## 总评：|## 接下来练什么|## Q\d+：|### 追问：|## 追问：",
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
    report = report_of(session, BANK, fakes.rubrics())

    utc = markdown(report, BANK, fakes.rubrics(), UTC).splitlines()
    east = written(session).splitlines()

    assert [line for line, other in zip(utc, east, strict=True) if line != other] == [
        "- 开始：2026-11-30 12:00"
    ]
