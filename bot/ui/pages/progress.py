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
from bot.ui.words import t

SHOWN_TOPICS = 8
_CHAPTERS, _TOPICS = "章节", "考点"


def show() -> None:
    """Show the days of practice, then everything that grades of one kind add up to."""
    services = state.services()
    zone = state.zone()
    st.title(t("进步"))
    attempts = services.store.attempts.all()
    if not attempts:
        st.info(t("还没有作答；练过几题以后，这里会有变化。"), icon=":material/trending_up:")
        st.page_link(navigation.INTERVIEW, label=t("开始一场面试"), icon=":material/forum:")
        return
    _days(services, attempts, zone)
    series = _chosen(_readable(services, progress.series_of(attempts, zone)))
    if series is None:
        st.info(t("还没有评过分的作答。"), icon=":material/pending:")
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
    st.subheader(t("练习的日子"))
    run = t("；连续 {run} 天", run=found.run) if found.run > 1 else ""
    st.markdown(
        t(
            "最近 {count} 天里练了 **{practised}** 天{run}。",
            count=len(found.days),
            practised=found.practised,
            run=run,
        )
    )
    st.html(day_cells(found.days))
    st.caption(t("格子里是当天的作答次数。"))


def _readable(services: Services, series: Sequence[Series]) -> list[Series]:
    """Return the series whose banks are still there, and say which are not."""
    kept = []
    for one in series:
        try:
            services.for_bank(one.bank_id)
        except (BankError, NotFoundError):
            st.caption(
                t(
                    "题库 {bank_id} 现在读不了，它的作答没有算进下面。",
                    bank_id=escape_markdown(one.bank_id),
                )
            )
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
            t("评分来源"),
            range(len(series)),
            format_func=lambda at: _name(series[at]),
            key="progress.source",
        )
        st.caption(t("来源不同的评分不能放在一起比较，所以下面每次只看一种。"))
    source = series[at].source
    st.caption(
        t(
            "以下都来自：{source} · {count} 次作答",
            source=escape_markdown(
                t(
                    "{judge_label} · 题库 {bank}",
                    judge_label=t(judge_label(source)),
                    bank=source.bank,
                )
            ),
            count=len(series[at].attempts),
        )
    )
    return series[at]


def _name(one: Series) -> str:
    source = one.source
    who = (
        t("离线评分")
        if source.judge == "offline"
        else f"{source.model} {source.prompt_version or ''}"
    )
    return t(
        "{who} · {bank} · {count} 次",
        who=who.strip(),
        bank=source.bank,
        count=len(one.attempts),
    )


def _ready(services: Services, series: Series, covered: Sequence[Covered], zone: tzinfo) -> None:
    st.subheader(t("可以去面试了吗"))
    found = readiness.readiness(
        series, services.bank, covered, due_cards=_due_cards(services, zone)
    )
    if found.missing_answers:
        st.info(
            t(
                "数据太少：再有 {missing_answers} 道题得到评分，才按规则估计。",
                missing_answers=found.missing_answers,
            ),
            icon=":material/hourglass_empty:",
        )
    elif found.is_ready:
        st.success(t("按下面的规则估计：准备好了。"), icon=":material/flag:")
    else:
        lacking = sum(not one.met for one in found.conditions)
        st.warning(
            t("按下面的规则估计：还差 {lacking} 项。", lacking=lacking), icon=":material/flag:"
        )
    for one in found.conditions:
        sign, word = ("✓", t("已满足")) if one.met else ("✗", t("还不够"))
        st.markdown(
            t("{sign} **{word}**：{says}", sign=sign, word=word, says=escape_markdown(t(one.says)))
        )
        if one.question_ids:
            names = t("、").join(one.question_ids)
            if st.button(
                t("练 {names}", names=names), key=f"practise-{one.id}", icon=":material/forum:"
            ):
                session = services.interviews.begin_with(one.question_ids)
                st.switch_page(navigation.INTERVIEW, query_params={state.SESSION: session.id})
        elif one.id == readiness.CARDS and not one.met:
            st.page_link(navigation.DRILL, label=t("去复习卡片"), icon=":material/fitness_center:")
    st.caption(
        t(
            "这是按固定规则的估计，只看“{judge_label}”的评分，不预测真实面试的结果。",
            judge_label=escape_markdown(t(judge_label(series.source))),
        )
    )


def _due_cards(services: Services, zone: tzinfo) -> int | None:
    deck = services.drills.deck
    cards = deck.cards()
    return len(deck.queue(zone, cards).due) if cards else None


def _slots(services: Services, attempts: Sequence[Graded], step: Step) -> None:
    st.subheader(t("各维度得分率"))
    used = Counter(one.marks.source.rubric.partition("@")[0] for one in attempts)
    rubrics = [name for name, _ in used.most_common() if name in services.rubrics]
    if not rubrics:
        st.caption(t("这些评分用的评分标准已经不在了。"))
        return
    chosen: str | None = rubrics[0]
    if len(rubrics) > 1:
        chosen = st.segmented_control(
            t("评分标准"),
            rubrics,
            default=rubrics[0],
            format_func=lambda one: t(
                "{title}（{count}）", title=t(services.rubrics[one].title), count=used[one]
            ),
            key="progress.rubric",
            label_visibility="collapsed",
        )
    rubric = services.rubrics[chosen or rubrics[0]]
    found = progress.means(progress.by_criterion(attempts, rubric.id), step)
    named = {t(one.title): found[one.id] for one in rubric.criteria if one.id in found}
    trend_charts.line_chart(named, step)
    latest = t("、").join(
        f"{name} {max(0.0, points[-1].mean):.0%}" for name, points in named.items()
    )
    st.caption(
        t(
            "每{step}一个点，不含追问。最近一次：{latest}。",
            step=t(trend_charts.STEP_NAMES[step]),
            latest=latest,
        )
    )


def _groups(contents: Contents, attempts: Sequence[Graded], step: Step) -> None:
    st.subheader(t("章节与考点"))
    view = st.segmented_control(
        t("按什么看"),
        [_CHAPTERS, _TOPICS],
        default=_CHAPTERS,
        format_func=t,
        key="progress.view",
        label_visibility="collapsed",
    )
    if view == _TOPICS:
        found = progress.means(progress.by_group(attempts, contents.topics_of), step)
        ranked = sorted(found, key=lambda one: (-sum(p.answers for p in found[one]), one))
        topics = st.multiselect(
            t("考点（默认是答得最多的）"),
            ranked,
            default=ranked[:SHOWN_TOPICS],
            key="progress.topics",
        )
        shown: Mapping[str, Sequence[progress.Point]] = {name: found[name] for name in topics}
    else:
        found = progress.means(progress.by_group(attempts, contents.chapter_of), step)
        titles = {one.id: one for one in contents.chapters}
        shown = {
            _short(titles[one].id, titles[one].title): found[one] for one in titles if one in found
        }
    if not shown:
        st.caption(t("没有可以显示的作答。"))
        return
    trend_charts.heat_map(shown, step)
    st.caption(
        t(
            "格子里是平均分（0–100），每{step}一列，最多显示最近 {columns} 列。",
            step=t(trend_charts.STEP_NAMES[step]),
            columns=trend_charts.COLUMNS,
        )
    )


def _short(name: str, title: str) -> str:
    return title if len(name) > 2 else f"{name} {title}"


def _coverage(covered: Sequence[Covered]) -> None:
    st.subheader(t("题库覆盖"))
    answered = sum(len(one.answered) for one in covered)
    total = sum(len(one.chapter.items) for one in covered)
    st.markdown(t("答过 **{answered}** / {total} 题。", answered=answered, total=total))
    for one in covered:
        best = t(" · 最好 {level} 级", level=max(one.best.values())) if one.best else ""
        st.markdown(
            f"**{escape_markdown(_short(one.chapter.id, one.chapter.title))}**　"
            f"{len(one.answered)} / {len(one.chapter.items)}{best}"
        )
        st.html(covered_cells(one))
    st.caption(t("数字是每题的最好等级；“·”没有答过，“?”答过但这个来源没有评分。"))


def _overclaims(attempts: Sequence[Graded], step: Step) -> None:
    st.subheader(t("校准：绝对化断言"))
    found = progress.means(progress.overclaims(attempts), step)
    points = next(iter(found.values()))
    trend_charts.bar_chart(points, step, readiness.MOST_OVERCLAIMS)
    st.caption(
        t(
            "每次作答平均有几处，越少越好；虚线是 {most_overclaims}。"
            "最近一{step}：{mean:.1f} 处（{answers} 次作答）。",
            most_overclaims=readiness.MOST_OVERCLAIMS,
            step=t(trend_charts.STEP_NAMES[step]),
            mean=points[-1].mean,
            answers=points[-1].answers,
        )
    )


with error_box():
    show()
