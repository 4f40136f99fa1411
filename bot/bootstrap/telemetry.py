"""What is told about grading while it goes on: a line in the log, and figures where asked for."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING

from bot.adapters.json_log import FIELDS, log_json_lines
from bot.domain.grade import Grade, Ungraded
from bot.domain.session import session_id_of
from bot.errors import ConfigError

if TYPE_CHECKING:
    from bot.adapters.prometheus import Figures
    from bot.bootstrap.commons import Commons

_log = logging.getLogger("bot.grading")
RECENT = timedelta(days=1)
"""Sessions that were begun longer ago are given up, most likely."""


@dataclass(frozen=True)
class Telemetry:
    """Tells of grading: ids, numbers and names of judges, never what anybody said."""

    commons: Commons

    def begin(self) -> None:
        """Begin to log, and to serve figures where a port is set; for servers, once a process."""
        settings = self.commons.settings
        log_json_lines(settings.log_level)
        if settings.metrics_port is not None:
            try:
                self.figures.serve(settings.metrics_port, settings.host)
            except ConfigError as error:
                _log.warning("%s", error)  # interviews go on without figures

    @cached_property
    def figures(self) -> Figures:
        """Return the figures. Raises `ConfigError` without the extra."""
        from bot.adapters.prometheus import Figures

        return Figures(self._open_sessions)

    def note(self, outcome: Grade | Ungraded, judge: str, seconds: float) -> None:
        """Tell of an answer that was graded, or not."""
        if "figures" in self.__dict__:
            self.figures.note(outcome, judge, seconds)
        if not _log.isEnabledFor(logging.INFO):
            return
        fields: dict[str, object] = {
            "session": session_id_of(outcome.id),
            "answer": outcome.id,
            "question": outcome.question_id,
            "status": outcome.status,
            "judge": judge,
            "seconds": round(seconds, 3),
        }
        if isinstance(outcome, Grade):
            given = outcome.provenance
            fields |= {"model": given.model, "tokens": given.tokens, "rubric": given.rubric}
        else:
            fields["reason"] = outcome.reason.value
        _log.info("answer %s", outcome.status, extra={FIELDS: fields})

    def _open_sessions(self) -> int:
        return self.commons.store.owners.open_sessions(self.commons.clock.now() - RECENT)
