"""A tour of the rubric: one question, three answers, and what each of them earns and why."""

from __future__ import annotations

from typing import NamedTuple

import streamlit as st

from bot.bootstrap import Services
from bot.domain.grade import Grade
from bot.domain.rubric import Rubric
from bot.domain.target import target_of
from bot.errors import BankError, NotFoundError, StoreError
from bot.services.reporting import OFFLINE_LABEL, escape_markdown
from bot.ui.components.grade_parts import (
    criteria_bars,
    faults_list,
    marked_answer,
    points_list,
    score_line,
)
from bot.ui.words import t

BANK, QUESTION = "vllm", "Q24"


class Example(NamedTuple):
    """An answer of the tour, what kind it is, and what can be learnt from its grade."""

    id: str
    title: str
    lesson: str
    text: str


EXAMPLES = (
    Example(
        "good",
        "准确的",
        "先给结论，说清原因，最后交代在什么条件下成立、怎样验证。没说全采分点，也能得高分：达到九成权重就满分，其余按比例。",
        "先说结论：量化省的是显存和搬运量，不等于一定更快，要看省下的带宽能不能抵过多出来的开销。"
        "原因是量化以后多了反量化和重排；如果没有适合这个形状的低精度 kernel，就会走慢路径，"
        "甚至先还原成 BF16 再算。batch 大的时候偏计算受限，权重读得少帮不上忙，反量化反而占时间；"
        "batch 小、卡在带宽时才容易看到收益。"
        "所以要在目标硬件和真实的 batch、长度上测，对比 TTFT、ITL 和 kernel 时间，同时检查精度。",
    ),
    Example(
        "overclaiming",
        "说过头的",
        "结论和原因与上一份相同，但最后一句担保了所有模型、没有损失、不用再测：前提/代价一分没有，每处绝对化再扣校准分。听起来更有把握，面试官只要问“哪个模型、什么负载？”就站不住。",
        "先说结论：量化省的是显存和搬运量，不等于跑得更快。"
        "原因是量化以后多了反量化和重排，没有合适的低精度 kernel 就会走慢路径。"
        "只要换上低精度 kernel，任何模型都会快一倍，精度没有任何损失，上线之前也不需要再测。",
    ),
    Example(
        "hollow",
        "空洞的",
        "术语都对，却没有一句话回答了问题：没有结论，没有因果，“综合考虑”不是条件。没有内容时，校准分也不给。",
        "量化涉及 INT8、FP8、INT4、AWQ、GPTQ、kernel、显存、带宽、吞吐、延迟这些方面，"
        "需要综合考虑，结合业务场景做好平衡，具体问题具体分析，持续优化就能得到好的效果。",
    ),
)


def score_tour(services: Services) -> None:
    """Grade three answers to a shipped question now, and show where their points come from."""
    try:
        services = services.for_bank(BANK)
        question = services.bank.find(QUESTION)
    except (BankError, NotFoundError, StoreError):
        return  # this installation has other banks
    target = target_of(question)
    # By the shipped rubrics, whatever the user has made of them: the lessons are about these.
    grader = services.commons.grader_with(services.offline_judge, services.bank)
    rubric = grader.rubric_of(target)
    found = [(one, grader.attempt(f"tour-{one.id}", target, one.text)) for one in EXAMPLES]
    grades = [(one, given) for one, given in found if isinstance(given, Grade)]
    st.subheader(t("同一道题，三份作答"))
    st.markdown(f"**{question.id}**　{escape_markdown(question.stem)}")
    _points(rubric, grades)
    st.caption(t("由离线评分现场评出；分数由代码按评分标准相加。"))
    for example, given in grades:
        title = t("{kind}作答：{score:g} 分", kind=t(example.title), score=given.score)
        with st.expander(title, key=f"tour.{example.id}"):
            score_line(given, rubric)
            st.caption(t(OFFLINE_LABEL))
            st.markdown(t(example.lesson))
            criteria_bars(given, rubric)
            marked_answer(given, rubric, example.text, key=f"tour.evidence.{example.id}")
            points_list(given, target)
            faults_list(given)


def _points(rubric: Rubric, grades: list[tuple[Example, Grade]]) -> None:
    rows = [
        {t("维度"): t("{title}（{points:g}）", title=t(one.title), points=one.max)}
        | {
            t(example.title): f"{point.points:g}"
            for example, given in grades
            for point in given.criteria
            if point.id == one.id
        }
        for one in rubric.criteria
    ]
    total = {t("维度"): f"**{t('总分')}**"} | {
        t(example.title): f"**{given.score:g}**" for example, given in grades
    }
    st.table([*rows, total], border="horizontal", hide_index=True)
