"""`mockbot evaluate` of human-rated sets that are not ours: ADS, CESA, Mohler.

They are read where they are given, and told apart by what stands in them.
"""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, Field, ValidationError
from rich.console import Console
from rich.table import Table

from bot.domain.folding import fold
from bot.errors import ConfigError
from bot.services.external import ExternalAnswer, ExternalQuestion, ExternalSet, Measured, Row

if TYPE_CHECKING:
    from bot.bootstrap import Services
    from bot.services.grading import Grader

FULL_MARK_ANSWERS = 6
"""So many answers with full marks stand for the reference that CESA has not; one may be left out."""

SEED = 0

_NAMES = {
    "score": "本次评分",
    "length": "基线：只看长度",
    "tfidf": "基线：TF-IDF 余弦",
    "recall": "基线：词召回",
    "raters": "两位评分者之间",
}
_CESA = ("student ID", "Q#", "answer", "judge1", "judge2", "final judge")
_MOHLER = ("id", "question", "desired_answer", "student_answer", "score_me", "score_other", "score_avg")  # fmt: skip
_MOHLER_BEST = 5.0


class _AdsLine(BaseModel):
    id: str
    question_id: str
    question: str
    references: Annotated[list[str], Field(min_length=1)]
    answer: str
    score: Annotated[float, Field(ge=0)]
    max: Annotated[float, Field(gt=0)]


def read_external(path: Path) -> ExternalSet | None:
    """Return the set in the file, or None when it has another form. Raises `ConfigError`."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return None  # read_gold says what is wrong
    first = text.lstrip().partition("\n")[0].strip()
    for is_form, read in (
        (_is_ads(first), _ads),
        (tuple(first.split("\t")) == _CESA, _cesa),
        (tuple(first.split(",")) == _MOHLER, _mohler),
    ):
        if is_form:
            found = read(path, text)
            if not found.answers:
                raise ConfigError(f"{path}：没有评过分的作答。")
            return found
    return None


def grader_for(services: Services, found: ExternalSet, *, by_meaning: bool) -> Grader:
    """Return the offline grader of an imported set; meanings are compared only if wanted."""
    from bot.adapters.closeness import EmbeddedCloseness
    from bot.adapters.e5 import E5Embeddings
    from bot.adapters.words import words
    from bot.offline.generic import Generic
    from bot.offline.judge import OfflineJudge
    from bot.services.grading import Grader

    closeness = EmbeddedCloseness(E5Embeddings()) if by_meaning else None
    return Grader(
        judge=OfflineJudge({}, services.lexicon, Generic(words, closeness)),
        rubrics=services.rubrics,
        bank_name=found.name,
        clock=services.clock,
    )


def run(
    services: Services,
    found: ExternalSet,
    grader: Grader,
    progress: Callable[[], None] = lambda: None,
) -> Measured:
    """Turn the set into a bank as an import would, grade, and compare."""
    from bot.adapters.words import words
    from bot.bootstrap.imports import unmet_with
    from bot.services.enriching import Enricher
    from bot.services.external import bank_of, measure

    bank = bank_of(found, Enricher(words, {}, unmet_with(services, {})))
    return measure(found, bank, grader, words, progress)


def as_json(found: Measured) -> str:
    """Return all figures as JSON."""
    return json.dumps(found.model_dump(mode="json"), ensure_ascii=False, indent=1)


def print_table(console: Console, found: Measured) -> None:
    """Print the figures."""
    table = Table(
        "与人的评分相比",
        "Pearson",
        "Spearman",
        "QWK",
        title=f"{found.name}：{found.questions} 道题，{found.answers} 份作答",
    )
    for row in (*found.rows, *((found.raters,) if found.raters else ())):
        table.add_row(_NAMES[row.name], *_numbers(row))
    console.print(table)
    console.print(
        f"未评分 {found.ungraded:.0%}；每份用时 {found.seconds * 1000:.1f} ms。"
        "等级按分数等距切分，没有在这个集上拟合。",
        markup=False,
        highlight=False,
    )


def _numbers(row: Row) -> list[str]:
    values = (row.pearson, row.spearman, row.qwk)
    return ["—" if value is None else f"{value:.3f}" for value in values]


def _is_ads(line: str) -> bool:
    try:
        value = json.loads(line)
    except ValueError:
        return False
    return isinstance(value, dict) and {"question", "references", "answer", "score"} <= value.keys()


def _ads(path: Path, text: str) -> ExternalSet:
    questions: dict[str, ExternalQuestion] = {}
    answers = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            one = _AdsLine.model_validate_json(line)
        except ValidationError as error:
            field = ".".join(str(part) for part in error.errors()[0]["loc"]) or "整行"
            raise _fault(
                path, number, f"字段 {field} 有误（{error.errors()[0]['msg']}）"
            ) from error
        references = tuple(dict.fromkeys(filter(str.strip, one.references)))
        questions.setdefault(
            one.question_id,
            ExternalQuestion(id=one.question_id, stem=one.question, references=references),
        )
        answers.append(
            ExternalAnswer(
                id=one.id,
                question_id=one.question_id,
                answer=one.answer,
                rated=one.score / one.max,
            )
        )
    return ExternalSet(name="ADS", questions=tuple(questions.values()), answers=tuple(answers))


def _cesa(path: Path, text: str) -> ExternalSet:
    rows = _rows(path, text, _CESA, "\t")
    marks = [(_mark(path, n, r[3]), _mark(path, n, r[4]), _mark(path, n, r[5])) for n, r in rows]
    best = max((mark for three in marks for mark in three), default=0.0) or 1.0
    answers = tuple(
        ExternalAnswer(
            id=f"Q{row[1]}-{row[0]}",
            question_id=f"Q{row[1]}",
            answer=row[2],
            rated=final / best,
            raters=(first / best, second / best),
        )
        for (_, row), (first, second, final) in zip(rows, marks, strict=True)
    )
    names = dict.fromkeys(one.question_id for one in answers)
    questions = (
        ExternalQuestion(
            id=name,
            stem=f"CESA {name}",
            references=_full_marks([one for one in answers if one.question_id == name]),
        )
        for name in names
    )
    return ExternalSet(
        name="CESA", questions=tuple(questions), answers=answers, refers_to_answers=True
    )


def _full_marks(answers: Sequence[ExternalAnswer]) -> tuple[str, ...]:
    """Return some different answers to which everybody gave full marks, drawn by a fixed seed."""
    full = {fold(a.answer).text: a.answer for a in answers if min(a.rated, *a.raters) == 1.0}
    chosen = list(full.values())
    random.Random(SEED).shuffle(chosen)  # noqa: S311
    return tuple(chosen[:FULL_MARK_ANSWERS])


def _mohler(path: Path, text: str) -> ExternalSet:
    questions: dict[str, ExternalQuestion] = {}
    answers = []
    for number, row in _rows(path, text, _MOHLER, ","):
        name = row[0].replace(".", "-")
        questions.setdefault(name, ExternalQuestion(id=name, stem=row[1], references=(row[2],)))
        first, second, mean = (_mark(path, number, one) / _MOHLER_BEST for one in row[4:7])
        answers.append(
            ExternalAnswer(
                id=f"{name}-{number}",
                question_id=name,
                answer=row[3],
                rated=mean,
                raters=(first, second),
            )
        )
    return ExternalSet(name="Mohler", questions=tuple(questions.values()), answers=tuple(answers))


def _rows(path: Path, text: str, header: Sequence[str], mark: str) -> list[tuple[int, list[str]]]:
    """Return the rows below the header with their line numbers."""
    reader = csv.reader(text.splitlines(keepends=True), delimiter=mark)
    rows = [(reader.line_num, row) for row in reader if row]
    for number, row in rows:
        if len(row) != len(header):
            raise _fault(path, number, f"有 {len(row)} 列，应当是 {len(header)} 列")
    return rows[1:]


def _mark(path: Path, number: int, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise _fault(path, number, f"评分 {text!r} 不是数")
    return value


def _fault(path: Path, number: int, sentence: str) -> ConfigError:
    return ConfigError(f"{path}:{number}：{sentence}。")
