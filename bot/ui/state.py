"""What the pages keep: the shared services, and the session id in the address."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, tzinfo
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from bot.bootstrap import Services
from bot.domain.drill import Drill
from bot.domain.owner import Visitor, admins_in
from bot.domain.plan import StudyPlan
from bot.domain.preferences import Preferences
from bot.domain.question import Question
from bot.domain.session import Session
from bot.domain.speech import Transcript, digest
from bot.errors import ConfigError, SignInError
from bot.ports import Clock
from bot.services.drafts import ImportPreview
from bot.settings import read_settings, unknown_variables
from bot.ui import chosen, sign_in

KeptT = TypeVar("KeptT")

if TYPE_CHECKING:
    from bot.services.editing import NotSaved

SESSION = "session"
"""The query parameter that names the session, so that a reload goes on with it."""

BANK = "bank"
"""The query parameter that names the bank: to look at, and for the next interview."""

QUESTION = "question"
"""The query parameter that names the question whose details are shown."""

TURN, WITH = "turn", "with"
"""The query parameters that name two answers to compare: the later and the earlier turn."""

DRILL = "drill"
"""The query parameter that names the drill, so that a reload goes on with the same card."""

_SEEN = "signed-in.owner"
_PREVIEW = "import.preview"
_BEGUN = "session.begun"
_PLAN = "plan.open"
_CHOSEN_BANK = "bank.chosen"
_EDIT = "bank.edit"

TWICE_SECONDS = 1.5
"""Two clicks within this time are a double click."""

_log = logging.getLogger(__name__)


class OpenEdit(NamedTuple):
    """A question that is being edited; its widgets keep what was typed under the token."""

    token: str
    bank_id: str
    question: Question
    """As it was when the editing began."""
    added: int = 0
    """So many key points were added."""
    not_saved: NotSaved | None = None
    """What came of the last try."""


def services() -> Services:
    """Return the services of this browser session, with what was chosen on the settings page."""
    base = shared_services()
    return base if get_script_run_ctx() is None else chosen.over(base)


def preferences() -> Preferences:
    """Return what whoever looks at the page chose in the settings."""
    return chosen.preferences(shared_services())


def models_note() -> str | None:
    """Return why the model of the settings page is not in use, in a sentence, or None."""
    return chosen.note(shared_services())


def shared_services() -> Services:
    """Return the services of whoever looks at the page, shared by all their browser sessions.

    Raises `SignInError` where people have to sign in, and nobody did.
    """
    base = process_services()
    if not base.settings.shared:
        return base
    who = sign_in.visitor()
    if who is None:
        raise SignInError("请先登录；刷新页面即可看到登录按钮。")
    return _services_of(who.owner)


@st.cache_resource(max_entries=1000, show_spinner=False)
def _services_of(owner: str) -> Services:
    return process_services().for_owner(owner)


def visitor() -> Visitor | None:
    """Return who signed in; None where nobody has to, or nobody did."""
    return sign_in.visitor() if is_shared() else None


def is_shared() -> bool:
    """Say whether people have to sign in; where settings are wrong, the page itself will say so."""
    with suppress(ConfigError):
        return process_services().settings.shared
    return False


def is_admin() -> bool:
    """Say whether the visitor may see what everybody uses."""
    who = visitor()
    return who is not None and who.is_one_of(admins_in(process_services().settings.admins))


def note_visit(who: Visitor) -> None:
    """Remember that somebody is here, once a browser session. Raises `StoreError`."""
    if st.session_state.get(_SEEN) != who.owner:
        # Another person at the same browser must not find what the one before typed or opened.
        if _SEEN in st.session_state:
            st.session_state.clear()
        found = _services_of(who.owner)
        found.store.owners.seen(who.label, found.clock.now())
        st.session_state[_SEEN] = who.owner


@st.cache_resource(show_spinner=False)
def process_services() -> Services:
    """Return the services of this process, which all owners' are made from."""
    settings = read_settings()
    made = Services(settings)
    made.commons.telemetry.begin()
    for name in unknown_variables():
        _log.warning("unknown setting %s", name)
    return made


def session_id() -> str | None:
    """Return the session that the address names."""
    return st.query_params.get(SESSION) or None


def open_session(session: Session) -> None:
    """Put the session into the address."""
    st.query_params[SESSION] = session.id


def begin_once(clock: Clock, begin: Callable[[], Session]) -> Session:
    """Return the session that `begin` makes; the second click of two gets that of the first.

    It cuts the run of the first one short, when the session is stored and not yet in the address.
    """
    last: tuple[float, Session] | None = st.session_state.get(_BEGUN)
    if last is not None and clock.elapsed() - last[0] < TWICE_SECONDS:
        return last[1]
    session = begin()
    st.session_state[_BEGUN] = (clock.elapsed(), session)
    return session


def leave_session() -> None:
    """Take the session out of the address."""
    st.query_params.pop(SESSION, None)


def compared_turns() -> tuple[str, str] | None:
    """Return the later and the earlier turn that the address wants compared."""
    later, earlier = st.query_params.get(TURN), st.query_params.get(WITH)
    return (later, earlier) if later and earlier else None


@st.cache_resource(max_entries=500, show_spinner=False)
def grading_lock(session_id: str) -> Lock:
    """Return the lock to hold while answers of the session are graded.

    A click ends a run only at its next call of Streamlit: the run that follows may find the first
    one still grading, and would pay for the same grade again.
    """
    return Lock()


def drill_id() -> str | None:
    """Return the drill that the address names."""
    return st.query_params.get(DRILL) or None


def open_drill(drill: Drill) -> None:
    """Put the drill into the address."""
    st.query_params[DRILL] = drill.id


def leave_drill() -> None:
    """Take the drill out of the address."""
    st.query_params.pop(DRILL, None)


def zone() -> tzinfo:
    """Return the time zone of the visitor, with its summer time; else that of this machine."""
    name = st.context.timezone
    if name:
        with suppress(ZoneInfoNotFoundError, ValueError):
            return ZoneInfo(name)
    return services().clock.now().astimezone().tzinfo or UTC


def wanted_bank() -> str | None:
    """Return the bank that the address names, else the one that was chosen on any page."""
    chosen: Any = st.query_params.get(BANK) or st.session_state.get(_CHOSEN_BANK)
    return chosen or None


def keep_bank(bank_id: str) -> None:
    """Keep the bank for the other pages."""
    st.session_state[_CHOSEN_BANK] = bank_id


def choose_bank(bank_id: str) -> None:
    """Put the bank into the address, and keep it for the other pages."""
    st.query_params[BANK] = bank_id
    keep_bank(bank_id)


def question_id() -> str | None:
    """Return the question that the address names."""
    return st.query_params.get(QUESTION) or None


def open_question(bank_id: str, question_id: str) -> None:
    """Put the question and its bank into the address."""
    choose_bank(bank_id)
    st.query_params[QUESTION] = question_id


def leave_question() -> None:
    """Take the question out of the address."""
    st.query_params.pop(QUESTION, None)


def keep_edit(edit: OpenEdit | None) -> None:
    """Keep what is being edited, and no other."""
    st.session_state[_EDIT] = edit


def edit_of(bank_id: str, question_id: str) -> OpenEdit | None:
    """Return the edit of that question, if it is the one that was kept."""
    kept: Any = st.session_state.get(_EDIT)
    is_it = kept is not None and (kept.bank_id, kept.question.id) == (bank_id, question_id)
    return kept if is_it else None


def keep_preview(key: str, preview: ImportPreview | None) -> None:
    """Keep the preview of the document with that key, and no other."""
    st.session_state[_PREVIEW] = (key, preview)


def preview_of(key: str) -> ImportPreview | None:
    """Return the preview of the document with that key, if it is the one that was kept."""
    kept: Any = st.session_state.get(_PREVIEW)
    return kept[1] if kept is not None and kept[0] == key else None


def keep_plan(plan: StudyPlan | None) -> None:
    """Keep the study plan that is being edited; nothing but this browser session has it."""
    st.session_state[_PLAN] = plan


def open_plan() -> StudyPlan | None:
    """Return the study plan that is being edited."""
    kept: Any = st.session_state.get(_PLAN)
    return kept if isinstance(kept, StudyPlan) else None


def flash(sentence: str) -> None:
    """Keep a sentence for the next run."""
    st.session_state["flash"] = sentence


def show_flash() -> None:
    """Show the sentence that was kept, once."""
    sentence: Any = st.session_state.pop("flash", None)
    if sentence:
        st.toast(str(sentence), icon=":material/info:")


_TRANSCRIPTS = "voice.transcripts"
_FAILED = "voice.failed"
_HEARD = "voice.heard"
_SPOKEN = "voice.spoken"
_MOST_CLIPS = 8


def heard(clip: bytes, hear: Callable[[], Transcript]) -> Transcript:
    """Return the transcript of a clip; a rerun of the page does not pay for it again."""
    return _once(_HEARD, digest(clip), hear)


def spoken_clip(text: str, say: Callable[[str], bytes]) -> bytes:
    """Return the sound of a text; a rerun of the page does not pay for it again."""
    return _once(_SPOKEN, text, lambda: say(text))


def keep_transcript(turn_id: str, found: Transcript) -> None:
    """Keep the transcript until it is sent; it belongs to its own question, whatever is open."""
    st.session_state.setdefault(_TRANSCRIPTS, {})[turn_id] = found


def transcript_of(turn_id: str) -> Transcript | None:
    """Return the transcript that waits to be sent as the answer of a turn."""
    kept: dict[str, Transcript] = st.session_state.get(_TRANSCRIPTS, {})
    return kept.get(turn_id)


def drop_transcript(turn_id: str) -> None:
    """Forget the transcript of a turn."""
    st.session_state.get(_TRANSCRIPTS, {}).pop(turn_id, None)


def failed_clips(turn_id: str) -> tuple[str, ...]:
    """Return why recordings of a turn came to nothing, the latest last."""
    kept: dict[str, tuple[str, ...]] = st.session_state.get(_FAILED, {})
    return kept.get(turn_id, ())


def note_failed_clip(turn_id: str, why: str) -> None:
    """Keep why a recording came to nothing."""
    st.session_state[_FAILED] = {turn_id: (*failed_clips(turn_id), why)}


def _once(place: str, name: str, make: Callable[[], KeptT]) -> KeptT:
    kept: dict[str, KeptT] = st.session_state.setdefault(place, {})
    if name not in kept:
        made = make()
        while len(kept) >= _MOST_CLIPS:
            kept.pop(next(iter(kept)))
        kept[name] = made
    return kept[name]
