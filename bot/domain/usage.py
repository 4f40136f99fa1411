"""What model calls cost, in tokens (用量)."""

from __future__ import annotations

from bot.domain.question import Frozen


class Usage(Frozen):
    """Tokens that model calls cost; `cached` is the part of `prompt` that came from a cache."""

    prompt: int = 0
    cached: int = 0
    reply: int = 0

    @property
    def total(self) -> int:
        """Return prompt and reply tokens together."""
        return self.prompt + self.reply

    def __add__(self, other: Usage) -> Usage:
        """Return the sum."""
        return Usage(
            prompt=self.prompt + other.prompt,
            cached=self.cached + other.cached,
            reply=self.reply + other.reply,
        )
