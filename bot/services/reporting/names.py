"""What things of the domain are called on pages, in reports and in the terminal."""

from __future__ import annotations

from collections.abc import Mapping

from bot.domain.claims import Flag, Verdict
from bot.domain.grade import Provenance
from bot.domain.question import Difficulty

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
    Flag.UNSTABLE: "评分不稳定：多次评分相差较大，或模型对判定把握不大",
    Flag.BINARY_DECIMAL: "数字只差 1000 与 1024 的换算（GB 与 GiB 混用），结果算部分正确",
    Flag.ROUGH: "结果接近，但误差超出允许范围，算部分正确",
    Flag.SEVERAL_RESULTS: "给出了几个不同的结果，没有说定哪一个",
    Flag.UNFOUNDED: "作答里没有这道题的任何一个说法，模型判的“说到”不算",
    Flag.FOREIGN: "有几句是别的题的参考答案，与这道题无关，没有评",
    Flag.CAPPED_CONTRADICTION: "核心采分点说反了，总分封顶",
    Flag.CAPPED_ERROR: "含有事实错误，总分封顶",
    Flag.CAPPED_NO_POINT: "没有命中采分点，总分封顶",
    Flag.CAPPED_OVERCLAIMS: "不止一处绝对化断言，总分封顶",
}

OFFLINE_LABEL = "离线评分 · 不判断事实对错"
NOTHING_GRADED = "没有可评分的回答"
NO_POINT_SAID = "一个采分点也没说到：标签和套话不得分，要说这道题的内容。"
CLOCK_BEGINS_ANEW = "接着答：这一题重新计时。"
MIXED_GRADES = "本场的评分来源不同，总分只作参考。"


def judge_label(provenance: Provenance) -> str:
    """Return how a grade is labelled wherever it appears."""
    if provenance.judge == "offline":
        return OFFLINE_LABEL
    parts = (provenance.model, provenance.prompt_version, provenance.method)
    return "模型评分 · " + " · ".join(part for part in parts if part)


def minutes(seconds: float) -> str:
    """Return a duration as people read it: `85 秒`, `2 分 05 秒`."""
    whole = round(seconds)
    return f"{whole} 秒" if whole < 120 else f"{whole // 60} 分 {whole % 60:02d} 秒"
