"""The offline interviewer: the bank's own words with a neutral sentence around them."""

from __future__ import annotations


class OfflineInterviewer:
    """Says what the bank says; never hints at the grade."""

    def ask(self, stem: str, *, number: int, total: int) -> str:
        """Return the question with its place in the interview."""
        return f"第 {number}/{total} 题：{stem}"

    def probe(self, asks: str, answer: str) -> str:
        """Return the follow-up."""
        return f"好，追问一句：{asks}"
