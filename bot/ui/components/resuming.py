"""Going on with what was left: the clock of the open question begins anew, and the page says so."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from bot.bootstrap import Services
from bot.domain.drill import Drill
from bot.domain.session import Session
from bot.errors import SessionConflictError
from bot.services.reporting import CLOCK_BEGINS_ANEW
from bot.ui import state
from bot.ui.words import t

LeftT = TypeVar("LeftT", Session, Drill)


def resume_session(services: Services, session: Session) -> None:
    """Begin the clock of the open question anew. Raises `StoreError`."""
    _resume(session, services.interviews.resume)


def resume_drill(services: Services, drill: Drill) -> None:
    """Begin the clock of the open card anew. Raises `StoreError`."""
    _resume(drill, services.drills.resume)


def _resume(left: LeftT, resume: Callable[[LeftT], LeftT]) -> None:
    # It goes on elsewhere at this very moment: then nobody was away.
    with suppress(SessionConflictError):
        if resume(left) is not left:
            state.flash(t(CLOCK_BEGINS_ANEW))
