"""A report put into the words and tables that every kind of file shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import tzinfo

from bot.domain.bank import Bank
from bot.domain.delivery import means_of
from bot.domain.grade import Grade, Provenance
from bot.domain.question import SLOT_NAMES
from bot.domain.report import QuestionLine, Report
from bot.domain.report_document import (
    Block,
    Bullets,
    Cell,
    Facts,
    Notice,
    Paragraph,
    ReportDocument,
    Section,
    Table,
    printable,
)
from bot.domain.rubric import Rubric
from bot.domain.self_score import difference_name, self_score_of
from bot.domain.session import Session
from bot.services.budgeting import Price
from bot.services.costs import SESSION_COVERS, Cost, cost_of_session
from bot.services.reporting.delivery import DELIVERY, MEANS_COVER, means_say
from bot.services.reporting.names import MIXED_GRADES, NOTHING_GRADED, judge_label, minutes
from bot.services.reporting.turns import anchor_of, turn_section

TITLE = "模拟面试复盘报告"


def document_of(
    report: Report,
    bank: Bank,
    rubrics: Mapping[str, Rubric],
    zone: tzinfo,
    price: Price | None = None,
) -> ReportDocument:
    """Return the document of a report, with times in `zone`, and in money where there is a price.

    Raises `NotFoundError` when the bank does not have a question of the session any more.
    """
    session = report.session
    grades = [turn.grade for turn in session.turns if turn.grade is not None]
    labels = dict.fromkeys(judge_label(one.provenance) for one in grades)
    return ReportDocument(
        title=TITLE,
        label=printable(" · ".join((*labels, bank.name, f"场次 {session.id}"))),
        at=(session.finished_at or session.begun_at).astimezone(zone),
        facts=_facts(session, bank, tuple(labels), zone),
        sections=(
            _overall(report),
            *_questions(report),
            *_practice(report),
            *_self_score(session),
            *_delivery(session, bank),
            *(
                turn_section(turn, at, bank, rubrics, price)
                for at, turn in enumerate(session.turns)
            ),
            *_sources(grades, cost_of_session(session, price)),
        ),
    )


def _facts(session: Session, bank: Bank, labels: tuple[str, ...], zone: tzinfo) -> Facts:
    answers = [turn.answer for turn in session.turns if turn.answer is not None]
    pairs = [
        ("题库", f"{bank.title}（{bank.name}）"),
        ("场次", session.id),
        ("开始", f"{session.begun_at.astimezone(zone):%Y-%m-%d %H:%M}"),
    ]
    if session.finished_at is not None:
        pairs.append(("结束", f"{session.finished_at.astimezone(zone):%Y-%m-%d %H:%M}"))
    if answers:
        spent = sum(one.seconds for one in answers)
        pairs.append(("用时", f"{len(answers)} 次作答共 {minutes(spent)}"))
    pairs.append(("评分", "、".join(labels) or "没有评分"))
    return Facts(tuple((name, printable(value)) for name, value in pairs))


def _overall(report: Report) -> Section:
    if report.score is None:
        return Section(NOTHING_GRADED, "summary", ())
    blocks: list[Block] = []
    if len(report.provenances) > 1:
        blocks.append(Notice(MIXED_GRADES))
    summary = (
        ("较强", "、".join(report.strongest)),
        ("较弱", "、".join(report.weakest)),
        ("绝对化断言", f"{report.overclaims} 处"),
    )
    blocks += [
        Bullets(tuple(Paragraph(name, printable(text)) for name, text in summary if text)),
        Table(
            ("维度", "得分率", "题数"),
            (3, 5, 1),
            tuple(
                (
                    Cell(printable(one.title)),
                    Cell(f"{one.shown:.0%}", share=one.shown),
                    Cell(str(one.answers)),
                )
                for one in report.criteria
            ),
        ),
    ]
    title = f"总评：{report.score:g} 分 · {report.level} 级 {report.level_name}"
    return Section(printable(title), "summary", tuple(blocks))


def _questions(report: Report) -> Iterator[Section]:
    if not report.questions:
        return
    mains = [at for at, turn in enumerate(report.session.turns) if turn.follow_up_id is None]
    rows = tuple(
        _question(line, anchor_of(at)) for line, at in zip(report.questions, mains, strict=True)
    )
    columns = ("题目", "得分", "等级", "追问", "用时")
    yield Section("逐题", "questions", (Table(columns, (11, 3, 5, 3, 3), rows),))


def _question(line: QuestionLine, anchor: str) -> tuple[Cell, ...]:
    probes = "、".join("—" if one is None else f"{one:g}" for one in line.follow_up_scores)
    return (
        Cell(printable(f"{line.question_id} {line.stem}"), anchor=anchor),
        Cell(line.state if line.score is None else f"{line.score:g}"),
        Cell("—" if line.level is None else printable(f"{line.level} {line.level_name}")),
        Cell(probes or "—"),
        Cell("—" if line.seconds is None else minutes(line.seconds)),
    )


def _practice(report: Report) -> Iterator[Section]:
    if report.practice:
        items = tuple(
            Paragraph(
                printable(f"{one.question_id} · {SLOT_NAMES[one.aims_at]}"),
                printable(f"{one.says}（{one.why}）"),
            )
            for one in report.practice
        )
        yield Section("接下来练什么", "practice", (Bullets(items),))


def _self_score(session: Session) -> Iterator[Section]:
    found = self_score_of(session)
    if found is None:
        return
    rows = tuple(
        (
            Cell(printable(one.question_id)),
            Cell(f"{one.guess} 级"),
            Cell(f"{one.level} 级"),
            Cell(difference_name(one.difference)),
        )
        for one in found.lines
    )
    blocks = (
        Paragraph("", f"共 {len(found.lines)} 次自评。{found.says}"),
        Table(("题目", "自评", "评分", "相差"), (3, 2, 2, 3), rows),
    )
    yield Section("自评与评分", "self-score", blocks)


def _delivery(session: Session, bank: Bank) -> Iterator[Section]:
    means = means_of(session, bank)
    if means is not None:
        items = tuple(Paragraph(name, text) for name, text in means_say(means))
        yield Section(DELIVERY, "delivery", (Bullets(items), Paragraph("", MEANS_COVER)))


def _sources(grades: list[Grade], cost: Cost) -> Iterator[Section]:
    """Say who graded, with what, and what it cost; one row for grades that were made alike."""
    if not grades:
        return
    counts: Counter[tuple[str, str, str]] = Counter()
    tokens: Counter[tuple[str, str, str]] = Counter()
    seconds: dict[tuple[str, str, str], float] = {}
    for one in (given.provenance for given in grades):
        key = _source(one)
        counts[key] += 1
        tokens[key] += one.tokens
        seconds[key] = seconds.get(key, 0.0) + one.seconds
    rows = tuple(
        (
            *(Cell(printable(text)) for text in key),
            Cell(str(counts[key])),
            Cell(str(tokens[key])),
            Cell(f"{seconds[key]:.1f} 秒"),
        )
        for key in counts
    )
    columns = ("评分者", "评分标准", "题库", "份数", "token", "耗时")
    table = Table(columns, (7, 6, 3, 2, 3, 3), rows)
    used = (Paragraph("用量", f"{cost.says}（{SESSION_COVERS}）。"),) if cost.tokens else ()
    yield Section("评分来源", "sources", (table, *used))


def _source(provenance: Provenance) -> tuple[str, str, str]:
    return judge_label(provenance), provenance.rubric, provenance.bank
