"""Who owns what is stored: a number made from what the identity provider says (用户编号)."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from typing import NamedTuple

from pydantic import AwareDatetime

from bot.domain.question import Frozen


class Visitor(NamedTuple):
    """Somebody who signed in."""

    owner: str
    label: str
    """By which administrators know them: an e-mail address, or else a name."""
    email: str | None
    """The e-mail address, if the provider says that it was verified."""

    def is_one_of(self, admins: Collection[str]) -> bool:
        """Say whether a list of e-mail addresses and owner numbers names them."""
        known = {one.casefold() for one in admins}
        return self.owner in known or (self.email or "").casefold() in known - {""}


class OwnerFigures(Frozen):
    """What somebody did, in numbers; nothing of what they said."""

    owner: str
    label: str | None
    seen_at: AwareDatetime | None
    sessions: int
    answers: int
    tokens: int
    """Of this month."""


def owner_of(issuer: str, subject: str) -> str:
    """Return the number of a person: the pair is unique and does not change, a name or address may."""
    return hashlib.sha256(f"{issuer}\n{subject}".encode()).hexdigest()[:32]


def visitor_of(claims: Mapping[str, object]) -> Visitor | None:
    """Return who the claims of an identity token are about, or None when they name nobody."""
    issuer, subject = claims.get("iss"), claims.get("sub")
    if not (isinstance(issuer, str) and issuer and isinstance(subject, str) and subject):
        return None
    owner = owner_of(issuer, subject)
    email = claims.get("email")
    named = next(
        (str(claims[one]) for one in ("email", "name", "preferred_username") if claims.get(one)),
        owner[:8],
    )
    # Some providers let people write any address there: only a verified one says who they are.
    is_verified = claims.get("email_verified") is True
    return Visitor(owner, named[:200], email if is_verified and isinstance(email, str) else None)


def admins_in(text: str) -> frozenset[str]:
    """Return the entries of a list that is separated by commas."""
    return frozenset(one.strip() for one in text.replace("，", ",").split(",") if one.strip())
