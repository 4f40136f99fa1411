"""`mockbot evaluate`: rated answers read from a file, the result as a table, JSON or a page."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path

from pydantic import ValidationError
from rich.console import Console
from rich.table import Table

from bot.domain.agreement import Detection
from bot.domain.grade import Grade
from bot.errors import ConfigError
from bot.ports import PointTrace
from bot.services.evaluating import Case, Evaluation, RatedAnswer

WORST = 20


def read_gold(path: Path) -> tuple[RatedAnswer, ...]:
    """Return the rated answers of a JSONL file. Raises `ConfigError` with the line."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}：无法读取；请给出 UTF-8 的 JSONL 文件。") from error
    answers = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            answers.append(RatedAnswer.model_validate_json(line))
        except ValidationError as error:
            field = ".".join(str(part) for part in error.errors()[0]["loc"]) or "整行"
            raise ConfigError(
                f"{path}:{number}：字段 {field} 有误（{error.errors()[0]['msg']}）。"
            ) from error
    if not answers:
        raise ConfigError(f"{path}：没有评过分的作答。")
    return tuple(answers)


def as_json(found: Evaluation) -> str:
    """Return all figures and cases as JSON."""
    value = found.model_dump(mode="json")
    for name in ("overclaims", "overclaims_with_errors", "overclaim_spans", "fault_spans"):
        value[name] = _detection(getattr(found, name))
    return json.dumps(value, ensure_ascii=False, indent=1)


def print_tables(console: Console, found: Evaluation) -> None:
    """Print the figures, the types and the confusion matrix."""
    table = Table("指标", "数值", title=f"与评分者的一致性（{found.answers} 份作答）")
    for name, value in figures(found):
        table.add_row(name, value)
    console.print(table)
    types = Table("类型", "份数", "评分者均值", "本次均值", "≤1 级")
    for row in found.types:
        types.add_row(
            row.type,
            str(row.answers),
            f"{row.rated:.2f}",
            _number(row.given),
            _share(row.at_most_one),
        )
    console.print(types)
    matrix = Table("评分者＼本次", *(str(level) for level in range(6)), title="混淆矩阵")
    for level, counts in enumerate(found.confusion):
        matrix.add_row(str(level), *(str(count) for count in counts))
    console.print(matrix)


def figures(found: Evaluation) -> list[tuple[str, str]]:
    """Return the figures with their names, in the order in which they are read."""
    return [
        ("等级 QWK", _number(found.qwk)),
        ("等级 QWK（不含 wrong、mid_minus）", _number(found.qwk_without)),
        ("完全一致", _share(found.exact)),
        ("相差不超过 1 级", _share(found.within_one)),
        ("分数与等级的 Spearman", _number(found.spearman)),
        ("基线：只看长度 QWK", _number(found.length_qwk)),
        ("基线：只看相似度 QWK", _number(found.similarity_qwk)),
        ("绝对化：精确率 / 召回率 / F1", _triple(found.overclaims)),
        ("绝对化或错误：精确率 / 召回率 / F1", _triple(found.overclaims_with_errors)),
        ("绝对化片段：精确率 / 召回率 / F1", _triple(found.overclaim_spans)),
        ("绝对化或错误片段：精确率 / 召回率 / F1", _triple(found.fault_spans)),
        *(
            (f"槽位 {slot}：一致 / QWK", f"{_share(share)} / {_number(found.slot_qwk[slot])}")
            for slot, share in found.slot_agreement.items()
        ),
        ("未评分", _share(found.ungraded)),
        ("每份用时", f"{found.seconds * 1000:.1f} ms"),
        ("每份 token", f"{found.tokens:.0f}"),
    ]


def as_html(found: Evaluation, explain: Callable[[Case], str]) -> str:
    """Return a self-contained page with the figures and the worst disagreements."""
    rows = "".join(f"<tr><th>{escape(n)}</th><td>{escape(v)}</td></tr>" for n, v in figures(found))
    types = "".join(
        f"<tr><th>{escape(one.type)}</th><td>{one.answers}</td><td>{one.rated:.2f}</td>"
        f"<td>{_number(one.given)}</td><td>{_share(one.at_most_one)}</td></tr>"
        for one in found.types
    )
    most = max((count for row in found.confusion for count in row), default=0) or 1
    matrix = "".join(
        f"<tr><th>{level}</th>"
        + "".join(
            f'<td style="background:rgba(31,111,235,{count / most:.2f})">{count}</td>'
            for count in row
        )
        + "</tr>"
        for level, row in enumerate(found.confusion)
    )
    worst = "".join(_case_html(case, explain) for case in found.worst[:WORST])
    head = "".join(f"<th>{level}</th>" for level in range(6))
    return (
        '<!doctype html><html lang="zh-CN"><meta charset="utf-8"><title>评分一致性</title>'
        "<style>body{font-family:sans-serif;max-width:960px;margin:2em auto;line-height:1.7}"
        "table{border-collapse:collapse;margin:1em 0}td,th{border:1px solid #ccc;padding:4px 10px;"
        "text-align:left}mark{background:#cfe8cf}section{border-top:1px solid #ccc}</style>"
        f"<h1>与评分者的一致性（{found.answers} 份作答，{escape(found.judge)}）</h1>"
        f"<table>{rows}</table><h2>按类型</h2><table><tr><th>类型</th><th>份数</th>"
        f"<th>评分者</th><th>本次</th><th>≤1 级</th></tr>{types}</table>"
        f"<h2>混淆矩阵（行：评分者，列：本次）</h2><table><tr><th></th>{head}</tr>{matrix}</table>"
        f"<h2>分歧最大的 {min(WORST, len(found.worst))} 份</h2>{worst}</html>\n"
    )


def trace_text(traces: Sequence[PointTrace]) -> str:
    """Return why each key point got its verdict, a line a concept group."""
    lines = []
    for trace in traces:
        lines.append(f"{trace.id} {trace.says}")
        for group in trace.groups:
            mark = f"✓ {group.found}" if group.found is not None else "✗"
            lines.append(f"    {mark}  ← {'、'.join(group.spellings[:6])}")
    return "\n".join(lines)


def _case_html(case: Case, explain: Callable[[Case], str]) -> str:
    grade = case.outcome
    if not isinstance(grade, Grade):
        return ""
    points = "".join(
        f"<li>{escape(point.id)} {point.verdict.value}："
        + escape(" / ".join(one.quote for one in point.evidence) or "—")
        + "</li>"
        for point in grade.key_points
    )
    wrong = "".join(
        f"<li>{name}：{escape(one.quote)}</li>"
        for name, found in (("绝对化", grade.overclaims), ("错误", grade.errors))
        for one in found
    )
    return (
        f"<section><h3>{escape(case.id)}：评分者 {case.rated:g}，本次 {grade.level}"
        f"（{grade.score:g} 分）</h3><p>{escape(case.answer)}</p><p><em>{escape(case.note)}</em></p>"
        f"<ul>{points}{wrong}</ul><pre>{escape(explain(case))}</pre></section>"
    )


def _detection(found: Detection) -> dict[str, float | int | None]:
    return {
        **found._asdict(),
        "precision": found.precision,
        "recall": found.recall,
        "f1": found.f1,
    }


def _triple(found: Detection) -> str:
    return " / ".join(_number(value) for value in (found.precision, found.recall, found.f1))


def _number(value: float | None) -> str:
    return "—" if value is None else f"{value:.3f}"


def _share(value: float | None) -> str:
    return "—" if value is None else f"{value:.0%}"
