"""Every error of ours: one sentence each, for the person who can do something about it."""

from __future__ import annotations

__all__ = [
    "BankError",
    "BotError",
    "ConfigError",
    "DisputeError",
    "FontMissingError",
    "ImportFileError",
    "IndexUnavailableError",
    "JudgeReplyError",
    "JudgeUnavailableError",
    "NotFoundError",
    "PictureError",
    "QuotaError",
    "RubricError",
    "SessionConflictError",
    "SessionStateError",
    "SignInError",
    "SpeechError",
    "StoreError",
    "UnclearSpeechError",
]


class BotError(Exception):
    """The root of our errors; its message is a sentence a person may read."""


class ConfigError(BotError):
    """A setting is wrong; the message names it and says what to put there."""


class BankError(BotError):
    """A bank file is unreadable or breaks the format; the message names file, line and field."""


class DisputeError(BotError):
    """A dispute says nothing, or does not allow the step, such as grading twice."""


class ImportFileError(BotError):
    """A file cannot be imported; the message says why and what to do instead."""


class FontMissingError(BotError):
    """No font with Chinese characters was found, so that no PDF can be made; HTML still can."""


class PictureError(BotError):
    """A picture cannot be taken or read; the message says why, and typing still works."""


class RubricError(BotError):
    """A rubric file is unreadable or does not add up; the message names file and field."""


class NotFoundError(BotError):
    """What was asked for by id (a question, a session, a rubric) does not exist."""


class StoreError(BotError):
    """The database cannot be opened, read or written; nothing was changed."""


class SessionConflictError(StoreError):
    """The stored session has moved on (another tab, a double click); load it again."""


class SessionStateError(BotError):
    """The session is not in a state that allows the step, such as answering a finished one."""


class SignInError(BotError):
    """Several people share this server, and whoever asks did not sign in."""


class IndexUnavailableError(BotError):
    """The question index cannot be opened or built; lexical search still works."""


class JudgeUnavailableError(BotError):
    """The judge cannot be reached or refuses to work; the answer stays ungraded."""


class QuotaError(JudgeUnavailableError):
    """The account behind the model, or the budget set for it, is used up."""


class JudgeReplyError(BotError):
    """The judge replied with something that cannot be understood; the answer stays ungraded."""


class SpeechError(BotError):
    """A clip cannot be taken, or no engine can be asked; typing the answer still works."""


class UnclearSpeechError(SpeechError):
    """Nothing that could be an answer was heard in a clip; it is recorded again or typed."""
