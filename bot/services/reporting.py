"""The report as Markdown; what the candidate wrote is escaped, so that it stays text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import tzinfo

from bot.domain.bank import Bank
from bot.domain.claims import Flag, Verdict
from bot.domain.grade import Grade, Provenance, Ungraded
from bot.domain.question import SLOT_NAMES, Difficulty, Question
from bot.domain.report import Report, unmet
from bot.domain.rubric import Rubric
from bot.domain.session import AnswerKind, Turn
from bot.domain.target import target_of

DIFFICULTY_NAMES: Mapping[Difficulty, str] = {
    Difficulty.EASY: "基础",
    Difficulty.MEDIUM: "中等",
    Difficulty.HARD: "进阶",
}

VERDICT_NAMES: Mapping[Verdict, str] = {
    Verdict.MET: "说到",
    Verdict.PARTLY_MET: "部分说到",
    Verdict.NOT_MET: "没有说到",
    Verdict.CONTRADICTED: "说反了",
}

FLAG_NAMES: Mapping[Flag, str] = {
    Flag.NO_CONTENT: "没有可评的内容",
    Flag.ECHO: "只重复了题目",
    Flag.INJECTION: "含有对评分者说的话，已忽略",
    Flag.KEYWORD_LIST: "有一段只是罗列关键词，不计分",
    Flag.QUOTE_NOT_FOUND: "评分者的一处引文在作答里找不到，已丢弃",
    Flag.EVIDENCE_MISSING: "评分者的一处判定没有指出原文，不计分",
    Flag.UNSTABLE: "多次评分相差较大，评分不稳定",
    Flag.BINARY_DECIMAL: "数字只差 1000 与 1024 的换算（GB 与 GiB 混用），结果算部分正确",
    Flag.ROUGH: "结果接近，但误差超出允许范围，算部分正确",
    Flag.SEVERAL_RESULTS: "给出了几个不同的结果，没有说定哪一个",
    Flag.CAPPED_CONTRADICTION: "核心采分点说反了，总分封顶",
    Flag.CAPPED_ERROR: "含有事实错误，总分封顶",
    Flag.CAPPED_NO_POINT: "没有命中采分点，总分封顶",
}

OFFLINE_LABEL = "离线评分 · 不判断事实对错"
NOTHING_GRADED = "没有可评分的回答"

_MARKDOWN = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$:&@^=])")


def judge_label(provenance: Provenance) -> str:
    """Return how a grade is labelled wherever it appears."""
    if provenance.judge == "offline":
        return OFFLINE_LABEL
    parts = (provenance.model, provenance.prompt_version, provenance.method)
    return "模型评分 · " + " · ".join(part for part in parts if part)


def escape_markdown(text: str) -> str:
    """Return `text` so that Markdown shows it as it is: no HTML, no LaTeX, no links."""
    return _MARKDOWN.sub(r"\\\1", text)


def minutes(seconds: float) -> str:
    """Return a duration as people read it: `85 秒`, `2 分 05 秒`."""
    whole = round(seconds)
    return f"{whole} 秒" if whole < 120 else f"{whole // 60} 分 {whole % 60:02d} 秒"


def markdown(report: Report, bank: Bank, rubrics: Mapping[str, Rubric], zone: tzinfo) -> str:
    """Return the whole report as Markdown, with times in `zone`."""
    return "\n".join((*_head(report, bank, zone), *_body(report, bank, rubrics))) + "\n"


def _head(report: Report, bank: Bank, zone: tzinfo) -> Iterator[str]:
    session = report.session
    yield "# 模拟面试复盘报告"
    yield ""
    yield f"- 题库：{bank.title}（{bank.name}）"
    yield f"- 开始：{session.begun_at.astimezone(zone):%Y-%m-%d %H:%M}"
    if session.finished_at is not None:
        yield f"- 结束：{session.finished_at.astimezone(zone):%Y-%m-%d %H:%M}"
    yield f"- 场次：{session.id}"
    for provenance in report.provenances:
        yield (
            f"- 评分：{judge_label(provenance)}"
            f"（{provenance.rubric}，{provenance.prompt_version or '—'}）"
        )
    yield ""
    if report.score is None:
        yield f"**{NOTHING_GRADED}**"
        return
    yield f"## 总评：{report.score:g} 分 · {report.level} 级 {report.level_name}"
    if len(report.provenances) > 1:
        yield ""
        yield "> 本场的评分来源不同，总分只作参考。"
    yield ""
    yield "| 维度 | 得分率 | 题数 |"
    yield "|---|---|---|"
    for one in report.criteria:
        yield f"| {one.title} | {one.share:.0%} | {one.answers} |"
    yield ""
    if report.strongest:
        yield f"- 较强：{'、'.join(report.strongest)}"
    if report.weakest:
        yield f"- 较弱：{'、'.join(report.weakest)}"
    yield f"- 绝对化断言：{report.overclaims} 处"


def _body(report: Report, bank: Bank, rubrics: Mapping[str, Rubric]) -> Iterator[str]:
    if report.practice:
        yield ""
        yield "## 接下来练什么"
        yield ""
        for one in report.practice:
            yield f"- {one.question_id} · {SLOT_NAMES[one.aims_at]}：{one.says}（{one.why}）"
    for turn in report.session.turns:
        question = bank.find(turn.question_id)
        yield ""
        yield from _turn(turn, question, rubrics)


def _turn(turn: Turn, question: Question, rubrics: Mapping[str, Rubric]) -> Iterator[str]:
    probe = next((one for one in question.follow_ups if one.id == turn.follow_up_id), None)
    target = target_of(question, probe)
    depth = "##" if probe is None else "###"
    yield f"{depth} {'追问' if probe else question.id}：{target.stem}"
    yield ""
    if turn.answer is None or turn.answer.kind is AnswerKind.SKIPPED:
        yield "（跳过）" if turn.answer else "（未作答）"
        return
    yield f"作答（{minutes(turn.answer.seconds)}）："
    yield ""
    for line in turn.answer.text.splitlines() or [""]:
        # Four spaces at its start would make the line a block of code.
        yield f"> {escape_markdown(line.strip())}"
    yield ""
    match turn.outcome:
        case Grade() as given:
            says = {target.point_id(point): point.says for point in target.key_points}
            yield from _grade(given, says, rubrics[target.rubric_id])
        case Ungraded() as reason:
            yield f"**未评分**：{_cell(reason.message)}"
        case None:
            yield "**未评分**：还没有评分。"
    yield ""
    yield f"参考答案：{target.reference}"


def _grade(given: Grade, says: Mapping[str, str], rubric: Rubric) -> Iterator[str]:
    yield (
        f"**{given.score:g} 分 · {given.level} 级 {rubric.level_names[given.level]}**"
        f"（{judge_label(given.provenance)}）"
    )
    yield ""
    titles = {one.id: one.title for one in rubric.criteria}
    yield "| 维度 | 得分 | 依据 |"
    yield "|---|---|---|"
    for one in given.criteria:
        quotes = " / ".join(_cell(evidence.quote) for evidence in one.evidence) or "—"
        yield f"| {titles.get(one.id, one.id)} | {one.points:g}/{one.max:g} | {quotes} |"
    yield ""
    for point in given.key_points:
        yield f"- {VERDICT_NAMES[point.verdict]}：{says.get(point.id, point.id)}"
    for over in given.overclaims:
        yield f"- 绝对化：“{_cell(over.quote)}” {_cell(over.why)}。改写：{_cell(over.rewrite)}"
    for error in given.errors:
        yield f"- 错误：“{_cell(error.quote)}” {_cell(error.why)}"
    for flag in given.flags:
        yield f"- 提示：{FLAG_NAMES[flag]}"


def _cell(text: str) -> str:
    """Return text of the candidate or of a model in one line, escaped."""
    return escape_markdown(" ".join(text.split()))


__all__ = [
    "DIFFICULTY_NAMES",
    "FLAG_NAMES",
    "NOTHING_GRADED",
    "OFFLINE_LABEL",
    "SLOT_NAMES",
    "VERDICT_NAMES",
    "escape_markdown",
    "judge_label",
    "markdown",
    "minutes",
    "unmet",
]
