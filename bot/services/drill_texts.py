"""What drills are called and said in words, on the page and in the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta, tzinfo
from math import ceil

from bot.domain.card import Aim, Rating, Rung, Schedule
from bot.domain.drill import Drill
from bot.domain.pushback import Stand
from bot.domain.question import SLOT_NAMES

RATING_NAMES: Mapping[Rating, str] = {
    Rating.AGAIN: "重来",
    Rating.HARD: "吃力",
    Rating.GOOD: "答对",
    Rating.EASY: "轻松",
}

RUNG_NAMES: Mapping[Rung, str] = {
    Rung.HEADLINE: "30 秒 · 一句话结论",
    Rung.FULL: "60 秒 · 完整回答",
    Rung.PUSHBACK: "90 秒 · 顶住追问",
}

LEECH_ADVICE = (
    "这些卡片反复没答上，再问下去用处不大。先读参考答案，用自己的话写一遍，再点“重新学”；"
    "暂时不想练的可以停用。"
)

SUPERSEDED = "这张卡片已在别处练过，这次作答保存了，但不再计一次复习。"
NOTHING_DUE = "现在没有到期的卡片。"


def aim_name(aim: Aim) -> str:
    """Return what is asked for: `Q04 · 前提/代价`, `Q04 · 追问`."""
    part = "追问" if aim.follow_up_id is not None else SLOT_NAMES[aim.slot]
    return f"{aim.question_id} · {part}"


def rung_name(rung: Rung) -> str:
    """Return the rung with its number: `第 1 档 · 30 秒 · 一句话结论`."""
    return f"第 {rung.value} 档 · {RUNG_NAMES[rung]}"


def when(schedule: Schedule, now: datetime, zone: tzinfo) -> str:
    """Return when a card falls due as people say it, on the calendar of `zone`."""
    left = schedule.due - now
    if schedule.is_due(now, zone):
        return "现在"
    if left < timedelta(hours=1):
        return f"{ceil(left / timedelta(minutes=1))} 分钟后"
    days = (schedule.falls_on(zone) - now.astimezone(zone).date()).days
    if days <= 0:
        return "今天晚些时候"
    if days <= 2:
        return ("明天", "后天")[days - 1]
    return f"{days} 天后" if days < 60 else f"约 {round(days / 30)} 个月后"


def stand_lines(stand: Stand) -> Iterator[tuple[bool, str]]:
    """Give what the pushback showed, each line with whether it went well."""
    if not stand.replies:
        yield False, "没有回应质疑"
        return
    yield stand.holds, "守住了说对的内容" if stand.holds else "把说对的内容收回了"
    yield stand.limits, "说明了条件或代价" if stand.limits else "没有说明条件或代价"
    yield stand.measured, "没有被逼成绝对化" if stand.measured else "被逼成了绝对化断言"


def place(drill: Drill, now: datetime) -> str:
    """Return how far a drill has come."""
    done = len(drill.rated)
    if drill.is_finished:
        return f"已结束，练了 {done} 张"
    if drill.goal.cards is not None:
        is_done = drill.last is not None and drill.last.after is not None
        return f"第 {min(done + (not is_done), drill.goal.cards)} / {drill.goal.cards} 张"
    whole = timedelta(minutes=drill.goal.minutes or 0)
    left = min(whole, drill.begun_at + whole - now)  # the clock of the machine may be set back
    minutes = max(0, ceil(left / timedelta(minutes=1)))
    return f"已练 {done} 张 · {f'还剩 {minutes} 分钟' if minutes else '时间已到，答完这张结束'}"
