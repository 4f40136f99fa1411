"""Progress: what the answers of weeks add up to, for one judge at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import tzinfo

import streamlit as st

from bot.bootstrap import Services
from bot.domain import progress, readiness
from bot.domain.coverage import Contents, Covered
from bot.domain.practice_days import practice_days
from bot.domain.progress import Attempt, Graded, Series, Step
from bot.errors import BankError, NotFoundError
from bot.services.reporting import escape_markdown, judge_label
from bot.ui import navigation, state
from bot.ui.components import trend_charts
from bot.ui.components.cells import covered_cells, day_cells
from bot.ui.components.error_box import error_box

SHOWN_TOPICS = 8


def show() -> None:
    """Show the days of practice, then everything that grades of one kind add up to."""
    services = state.services()
    zone = state.zone()
    st.title("进步")
    attempts = services.store.attempts.all()
    if not attempts:
        st.info("还没有作答；练过几题以后，这里会有变化。", icon=":material/trending_up:")
        st.page_link(navigation.INTERVIEW, label="开始一场面试", icon=":material/forum:")
        return
    _days(services, attempts, zone)
    series = _chosen(_readable(services, progress.series_of(attempts, zone)))
    if series is None:
        st.info("还没有评过分的作答。", icon=":material/pending:")
        return
    services = services.for_bank(series.bank_id)
    contents = Contents(services.bank)
    mine = [one for one in attempts if one.bank_id == series.bank_id]
    covered = contents.coverage(mine, series.attempts)
    step = progress.step_for([one.day for one in series.attempts])
    _ready(services, series, covered, zone)
    _slots(services, series.attempts, step)
    _groups(contents, series.attempts, step)
    _coverage(covered)
    _overclaims(series.attempts, step)


def _days(services: Services, attempts: Sequence[Attempt], zone: tzinfo) -> None:
    today = progress.local_day(services.clock.now(), zone)
    found = practice_days(attempts, today=today, zone=zone)
    st.subheader("练习的日子")
    run = f"；连续 {found.run} 天" if found.run > 1 else ""
    st.markdown(f"最近 {len(found.days)} 天里练了 **{found.practised}** 天{run}。")
    st.html(day_cells(found.days))
    st.caption("格子里是当天的作答次数。")


def _readable(services: Services, series: Sequence[Series]) -> list[Series]:
    """Return the series whose banks are still there, and say which are not."""
    kept = []
    for one in series:
        try:
            services.for_bank(one.bank_id)
        except (BankError, NotFoundError):
            st.caption(f"题库 {escape_markdown(one.bank_id)} 现在读不了，它的作答没有算进下面。")
        else:
            kept.append(one)
    return kept


def _chosen(series: Sequence[Series]) -> Series | None:
    """Let one kind of grade be chosen; grades of different judges are never put together."""
    if not series:
        return None
    st.divider()
    at = 0
    if len(series) > 1:
        at = st.selectbox(
            "评分来源",
            range(len(series)),
            format_func=lambda at: _name(series[at]),
            key="progress.source",
        )
        st.caption("来源不同的评分不能放在一起比较，所以下面每次只看一种。")
    source = series[at].source
    st.caption(
        f"以下都来自：{escape_markdown(f'{judge_label(source)} · 题库 {source.bank}')} · "
        f"{len(series[at].attempts)} 次作答"
    )
    return series[at]


def _name(one: Series) -> str:
    source = one.source
    who = (
        "离线评分" if source.judge == "offline" else f"{source.model} {source.prompt_version or ''}"
    )
    return f"{who.strip()} · {source.bank} · {len(one.attempts)} 次"


def _ready(services: Services, series: Series, covered: Sequence[Covered], zone: tzinfo) -> None:
    st.subheader("可以去面试了吗")
    found = readiness.readiness(
        series, services.bank, covered, due_cards=_due_cards(services, zone)
    )
    if found.missing_answers:
        st.info(
            f"数据太少：再有 {found.missing_answers} 道题得到评分，才按规则估计。",
            icon=":material/hourglass_empty:",
        )
    elif found.is_ready:
        st.success("按下面的规则估计：准备好了。", icon=":material/flag:")
    else:
        lacking = sum(not one.met for one in found.conditions)
        st.warning(f"按下面的规则估计：还差 {lacking} 项。", icon=":material/flag:")
    for one in found.conditions:
        sign, word = ("✓", "已满足") if one.met else ("✗", "还不够")
        st.markdown(f"{sign} **{word}**：{escape_markdown(one.says)}")
        if one.question_ids:
            names = "、".join(one.question_ids)
            if st.button(f"练 {names}", key=f"practise-{one.id}", icon=":material/forum:"):
                session = services.interviews.begin_with(one.question_ids)
                st.switch_page(navigation.INTERVIEW, query_params={state.SESSION: session.id})
        elif one.id == readiness.CARDS and not one.met:
            st.page_link(navigation.DRILL, label="去复习卡片", icon=":material/fitness_center:")
    st.caption(
        f"这是按固定规则的估计，只看“{escape_markdown(judge_label(series.source))}”的评分，"
        "不预测真实面试的结果。"
    )


def _due_cards(services: Services, zone: tzinfo) -> int | None:
    deck = services.drills.deck
    cards = deck.cards()
    return len(deck.queue(zone, cards).due) if cards else None


def _slots(services: Services, attempts: Sequence[Graded], step: Step) -> None:
    st.subheader("各维度得分率")
    used = Counter(one.marks.source.rubric.partition("@")[0] for one in attempts)
    rubrics = [name for name, _ in used.most_common() if name in services.rubrics]
    if not rubrics:
        st.caption("这些评分用的评分标准已经不在了。")
        return
    chosen: str | None = rubrics[0]
    if len(rubrics) > 1:
        chosen = st.segmented_control(
            "评分标准",
            rubrics,
            default=rubrics[0],
            format_func=lambda one: f"{services.rubrics[one].title}（{used[one]}）",
            key="progress.rubric",
            label_visibility="collapsed",
        )
    rubric = services.rubrics[chosen or rubrics[0]]
    found = progress.means(progress.by_criterion(attempts, rubric.id), step)
    named = {one.title: found[one.id] for one in rubric.criteria if one.id in found}
    trend_charts.line_chart(named, step)
    latest = "、".join(f"{name} {points[-1].mean:.0%}" for name, points in named.items())
    st.caption(f"每{trend_charts.STEP_NAMES[step]}一个点，不含追问。最近一次：{latest}。")


def _groups(contents: Contents, attempts: Sequence[Graded], step: Step) -> None:
    st.subheader("章节与考点")
    view = st.segmented_control(
        "按什么看",
        ["章节", "考点"],
        default="章节",
        key="progress.view",
        label_visibility="collapsed",
    )
    if view == "考点":
        found = progress.means(progress.by_group(attempts, contents.topics_of), step)
        ranked = sorted(found, key=lambda one: (-sum(p.answers for p in found[one]), one))
        topics = st.multiselect(
            "考点（默认是答得最多的）", ranked, default=ranked[:SHOWN_TOPICS], key="progress.topics"
        )
        shown: Mapping[str, Sequence[progress.Point]] = {name: found[name] for name in topics}
    else:
        found = progress.means(progress.by_group(attempts, contents.chapter_of), step)
        titles = {one.id: one for one in contents.chapters}
        shown = {
            _short(titles[one].id, titles[one].title): found[one] for one in titles if one in found
        }
    if not shown:
        st.caption("没有可以显示的作答。")
        return
    trend_charts.heat_map(shown, step)
    st.caption(
        f"格子里是平均分（0–100），每{trend_charts.STEP_NAMES[step]}一列，"
        f"最多显示最近 {trend_charts.COLUMNS} 列。"
    )


def _short(name: str, title: str) -> str:
    return title if len(name) > 2 else f"{name} {title}"


def _coverage(covered: Sequence[Covered]) -> None:
    st.subheader("题库覆盖")
    answered = sum(len(one.answered) for one in covered)
    total = sum(len(one.chapter.items) for one in covered)
    st.markdown(f"答过 **{answered}** / {total} 题。")
    for one in covered:
        best = f" · 最好 {max(one.best.values())} 级" if one.best else ""
        st.markdown(
            f"**{escape_markdown(_short(one.chapter.id, one.chapter.title))}**　"
            f"{len(one.answered)} / {len(one.chapter.items)}{best}"
        )
        st.html(covered_cells(one))
    st.caption("数字是每题的最好等级；“·”没有答过，“?”答过但这个来源没有评分。")


def _overclaims(attempts: Sequence[Graded], step: Step) -> None:
    st.subheader("校准：绝对化断言")
    found = progress.means(progress.overclaims(attempts), step)
    points = next(iter(found.values()))
    trend_charts.bar_chart(points, step, readiness.MOST_OVERCLAIMS)
    st.caption(
        f"每次作答平均有几处，越少越好；虚线是 {readiness.MOST_OVERCLAIMS}。"
        f"最近一{trend_charts.STEP_NAMES[step]}：{points[-1].mean:.1f} 处（{points[-1].answers} 次作答）。"
    )


with error_box():
    show()
