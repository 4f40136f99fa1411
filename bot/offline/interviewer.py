"""The offline interviewer: the bank's own words with a neutral sentence around them."""

from __future__ import annotations

from bot.domain.session import Persona
from bot.ports import Hear

_BEFORE_PROBE = {
    Persona.GENTLE: "好的，谢谢。我想再听听这一点：",
    Persona.NEUTRAL: "好，追问一句：",
    Persona.PRESSING: "先停一下，我追问一句：",
}


class OfflineInterviewer:
    """Says what the bank says; never hints at the grade."""

    def ask(
        self, stem: str, *, number: int, total: int, persona: Persona, hear: Hear | None = None
    ) -> str:
        """Return the question with its place in the interview."""
        return f"第 {number}/{total} 题：{stem}"

    def probe(self, asks: str, answer: str, *, persona: Persona, hear: Hear | None = None) -> str:
        """Return the follow-up in the tone that was chosen."""
        return f"{_BEFORE_PROBE[persona]}{asks}"
