"""The follow-up drill in a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, tzinfo

from rich.console import Console
from rich.markup import escape
from rich.panel import Panel

from bot.bootstrap import Services
from bot.cli.terminal import MARKS, read_answer
from bot.domain.card import Rating
from bot.domain.claims import Verdict
from bot.domain.drill import Drill, Goal, tally
from bot.domain.grade import Grade, Ungraded
from bot.domain.review import Review
from bot.errors import NotFoundError, SessionStateError
from bot.services.drill_texts import (
    RATING_NAMES,
    SUPERSEDED,
    aim_name,
    place,
    rung_name,
    stand_lines,
    when,
)
from bot.services.reporting import CLOCK_BEGINS_ANEW, VERDICT_NAMES, judge_label, minutes

HELP = "输入作答，可多行，空行结束；/不知道 /跳过 /结束"
DEFAULT_CARDS = 10
ALL = "all"


def add_follow_ups(console: Console, services: Services, sections: Sequence[str]) -> None:
    """Add the follow-ups of these sections of the bank to the deck. Raises `NotFoundError`."""
    known = {part.section.id for part in services.bank.sections}
    for name in sections:
        if name not in known | {ALL}:
            raise NotFoundError(
                f"题库 {services.bank.id!r} 里没有章节 {name!r}；"
                f"可用：{'、'.join(sorted(known))}，或 {ALL}。"
            )
    count = sum(
        services.drills.deck.add_follow_ups(services.bank.id, None if name == ALL else name)
        for name in sections
    )
    if sections:
        console.print(f"加入了 {count} 张卡片。", highlight=False)


def run_drill(console: Console, services: Services, goal: Goal | None) -> None:
    """Run a drill to its end, or until the candidate leaves it.

    Without a goal a drill that was not finished goes on, and one that is left can be taken up
    again. With a goal, leaving ends the drill: it must not take the place of one left earlier.
    """
    zone = services.clock.now().astimezone().tzinfo or UTC
    services.drills.deck.collect()
    waiting = services.drills.deck.queue(zone)
    console.print(
        f"到期 {len(waiting.due)} 张 · 新卡 {len(waiting.new)} 张 · 顽固 {len(waiting.leeches)} 张",
        highlight=False,
    )
    left = services.store.drills.open_drill() if goal is None else None
    if left is not None:
        drill = services.drills.resume(left)
        if drill is not left:
            console.print(CLOCK_BEGINS_ANEW)
    else:
        try:
            drill = services.drills.begin(goal or Goal(cards=DEFAULT_CARDS), zone)
        except NotFoundError as nothing:
            console.print(str(nothing), markup=False)
            return
    console.print(HELP, markup=False)
    try:
        while not drill.is_finished:
            drill = _step(console, services, drill, zone)
    except (KeyboardInterrupt, EOFError):
        if goal is None:
            console.print("\n已保存。继续：mockbot drill", markup=False, highlight=False)
            return
        console.print()
        # Loaded: what was stored in the step that was cut short is newer than `drill`.
        drill = services.drills.finish(services.store.drills.load(drill.id))
    _print_end(console, services, drill, zone)


def _step(console: Console, services: Services, drill: Drill, zone: tzinfo) -> Drill:
    review = drill.current
    if review is not None:
        _print_question(console, services, drill, review)
        try:
            drill = _reply(console, services, drill)
        except SessionStateError as error:
            console.print(str(error), style="red", markup=False)
            return drill
    drill = services.drills.grade_waiting(drill)
    last = drill.last
    if drill.is_finished or drill.current is not None or last is None:
        return drill
    if not last.is_skipped:
        _print_gap(console, services, last)
        drill = _let_correct(console, services, drill, zone)
    return drill if drill.is_finished else services.drills.go_on(drill, zone)


def _reply(console: Console, services: Services, drill: Drill) -> Drill:
    drills = services.drills
    is_reply = drill.current is not None and drill.current.needs_reply
    while True:
        text = read_answer(console)
        match text.strip():
            case "/不知道":
                return drills.dont_know(drill)
            case "/跳过" if not is_reply:
                return drills.skip(drill)
            case "/结束":
                return drills.finish(drill)
            case "" | "/跳过":
                console.print(HELP, markup=False)
            case _:
                return drills.reply(drill, text) if is_reply else drills.answer(drill, text)


def _let_correct(console: Console, services: Services, drill: Drill, zone: tzinfo) -> Drill:
    """Show the rating and let the candidate change it until they go on."""
    while True:
        review = drill.last
        if review is None or review.superseded or review.outcome is None:
            return drill
        _print_rating(console, services, review, zone)
        numbers = "  ".join(f"{n} {RATING_NAMES[one]}" for n, one in enumerate(Rating, start=1))
        given = console.input(f"回车下一张；改评级：{numbers}；/结束 > ", markup=False).strip()
        if given == "/结束":
            return services.drills.finish(drill)
        if given not in ("1", "2", "3", "4"):
            return drill
        drill = services.drills.rate(drill, review.id, tuple(Rating)[int(given) - 1])


def _print_question(console: Console, services: Services, drill: Drill, review: Review) -> None:
    if review.needs_reply:
        console.print(Panel(escape(review.pushback or ""), title="面试官"))
        return
    now = services.clock.now()
    line = f"{place(drill, now)} · {aim_name(review.aim)} · {rung_name(review.rung)}"
    console.print(line, style="bold", markup=False, highlight=False)
    stem = services.drills.question_of(review).stem
    console.print(f"原题：{stem}", markup=False, highlight=False)
    console.print(Panel(escape(review.says), title="面试官"))


def _print_gap(console: Console, services: Services, review: Review) -> None:
    if review.superseded:
        console.print(SUPERSEDED)
        return
    match review.outcome:
        case Grade() as given:
            _print_grade(console, services, review, given)
        case Ungraded() as reason:
            console.print(f"未评分：{reason.message}", markup=False)
        case None:
            return
    target = services.drills.target_of(review)
    console.print(Panel(escape(target.reference), title="这一部分的参考"))


def _print_grade(console: Console, services: Services, review: Review, given: Grade) -> None:
    target = services.drills.target_of(review)
    says = {target.point_id(point): point.says for point in target.key_points}
    lines = [
        f"{given.score:g} 分（{judge_label(given.provenance)}） · "
        f"用时 {minutes(review.seconds)}，限 {review.rung.seconds} 秒"
    ]
    for point in sorted(given.key_points, key=lambda one: one.verdict is Verdict.MET):
        quotes = " / ".join(one.quote.strip() for one in point.evidence)
        found = f"  “{quotes}”" if quotes else ""
        lines.append(
            f"{MARKS[point.verdict]} {VERDICT_NAMES[point.verdict]}：{says[point.id]}{found}"
        )
    lines += [
        f"⚠ 绝对化：“{one.quote}” {one.why}\n  改写：{one.rewrite}" for one in given.overclaims
    ]
    lines += [f"⚠ 错误：“{one.quote}” {one.why}" for one in given.errors]
    stand = services.drills.stand_of(review)
    if stand is not None:
        lines += [f"{'✓' if good else '✗'} {line}" for good, line in stand_lines(stand)]
    for line in lines:
        console.print(line, markup=False, highlight=False)


def _print_rating(console: Console, services: Services, review: Review, zone: tzinfo) -> None:
    if review.after is None or review.final is None:
        console.print("没有评分，可以自己选评级。")
        return
    due = when(review.after.schedule, services.clock.now(), zone)
    name = RATING_NAMES[review.final]
    console.print(f"评级：{name} · 下次：{due}", style="bold", markup=False, highlight=False)


def _print_end(console: Console, services: Services, drill: Drill, zone: tzinfo) -> None:
    counted = tally(drill.reviews)
    parts = [f"{RATING_NAMES[one]} {count}" for one, count in counted.by_rating.items()]
    console.print(
        f"练了 {counted.cards} 张（{'，'.join(parts)}），用时 {minutes(counted.seconds)}。",
        style="bold",
        markup=False,
        highlight=False,
    )
    now = services.clock.now()
    for review in drill.rated:
        if review.after is not None:
            due = when(review.after.schedule, now, zone)
            console.print(f"{aim_name(review.aim)}  下次：{due}", markup=False, highlight=False)
