"""A rubric of the user's own in a terminal: whether it is right, and what it changes."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from bot.bootstrap import Services
from bot.domain.rubric import Rubric
from bot.errors import RubricError
from bot.services.grading import Grader
from bot.services.own_rubrics import Weighed, sample_for, weighed


def check_file(services: Services, text: str, place: str, console: Console) -> None:
    """Print what the rubric changes in the grade of a sample. Raises `RubricError`."""
    try:
        rubric = services.own_rubrics.checked(text)
    except RubricError as error:
        raise RubricError(f"{place}：{error}") from error
    console.print(f"✓ {rubric.name}：{rubric.title}", markup=False, highlight=False)
    shipped = services.commons.rubrics[str(rubric.based_on)]
    sample = sample_for(services.bank, shipped.id)
    if sample is None:
        console.print("这个题库没有用它的题目，没有示例。")
        return

    def grader_of(one: Rubric) -> Grader:
        return services.commons.grader_with(
            services.offline_judge, services.bank, rubrics={shipped.id: one}
        )

    found = weighed(sample, rubric, shipped, grader_of)
    if isinstance(found, Weighed):
        console.print(_table(found, shipped, rubric))


def _table(found: Weighed, shipped: Rubric, own: Rubric) -> Table:
    table = Table(
        "维度", escape(shipped.name), escape(own.name), title="示例作答的得分（离线评分）"
    )
    for row in found.rows:
        before, after = _points(row.before, row.before_max), _points(row.after, row.after_max)
        table.add_row(escape(row.title), before, after)
    table.add_row("总分", f"{found.before.score:g}", f"{found.after.score:g}")
    table.add_row("等级", f"{found.before.level}", f"{found.after.level}")
    return table


def _points(points: float | None, most: float | None) -> str:
    return "—" if points is None or most is None else f"{points:g}/{most:g}"
