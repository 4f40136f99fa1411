"""What an answer is graded against: a question, or one of its follow-ups."""

from __future__ import annotations

from bot.domain.question import (
    FollowUp,
    Frozen,
    KeyPoint,
    Kind,
    Misconception,
    NumericAnswer,
    Question,
    Slot,
)

RUBRIC_OF_KIND = {
    Kind.EXPLAIN: "structured-answer",
    Kind.DESIGN: "system-design",
    Kind.CALCULATE: "calculation",
}
FOLLOW_UP_RUBRIC = "follow-up"


class Target(Frozen):
    """A stem with everything that is known about answers to it.

    `id` is `Q01` for a question and `Q01.f1` for a follow-up; key points are quoted as `Q01.a`.
    """

    id: str
    question_id: str
    stem: str
    reference: str
    key_points: tuple[KeyPoint, ...]
    misconceptions: tuple[Misconception, ...]
    rubric_id: str
    aims_at: Slot | None = None
    expected: NumericAnswer | None = None
    """The number that a calculation task asks for."""
    drawing: bool = False
    """Whether a drawing is asked for."""

    def point_id(self, point: KeyPoint) -> str:
        """Return the id by which grades name a key point."""
        return f"{self.id}.{point.id}"


def target_of(question: Question, follow_up: FollowUp | None = None) -> Target:
    """Return what an answer to the question, or to its follow-up, is graded against."""
    if follow_up is None:
        return Target(
            id=question.id,
            question_id=question.id,
            stem=question.stem,
            reference=question.reference.joined,
            key_points=question.key_points,
            misconceptions=question.misconceptions,
            rubric_id=RUBRIC_OF_KIND[question.kind],
            expected=question.expected,
            drawing=question.drawing,
        )
    return Target(
        id=f"{question.id}.{follow_up.id}",
        question_id=question.id,
        stem=follow_up.asks,
        reference=follow_up.reference,
        key_points=follow_up.key_points,
        # A wrong belief about the question stays wrong in a follow-up, but has no point there.
        misconceptions=tuple(
            one.model_copy(update={"contradicts": None}) for one in question.misconceptions
        ),
        rubric_id=FOLLOW_UP_RUBRIC,
        aims_at=follow_up.aims_at,
        drawing=follow_up.drawing,
    )
