"""Who somebody is comes from issuer and subject alone; who may administrate, from what is verified."""

from __future__ import annotations

from bot.domain.owner import admins_in, owner_of, visitor_of

ANNA = {"iss": "https://id.example", "sub": "1", "email": "anna@example.com"}


def test_a_person_is_the_same_whatever_name_or_address_they_take() -> None:
    first = visitor_of({**ANNA, "email_verified": True})
    later = visitor_of({**ANNA, "email": "other@example.com", "name": "Anna"})

    assert first is not None
    assert later is not None
    assert first.owner == later.owner == owner_of("https://id.example", "1")


def test_the_same_subject_of_another_issuer_is_another_person() -> None:
    assert owner_of("https://a.example", "1") != owner_of("https://b.example", "1")
    assert owner_of("a\nb", "c") != owner_of("a", "b\nd")
    assert "local" not in {owner_of("", ""), owner_of("local", "local")}


def test_claims_without_issuer_or_subject_name_nobody() -> None:
    for claims in ({}, {"sub": "1"}, {"iss": "x"}, {"iss": "", "sub": "1"}, {"iss": "x", "sub": 1}):
        assert visitor_of(claims) is None


def test_an_address_that_was_not_verified_makes_no_administrator() -> None:
    admins = admins_in(" anna@example.com，boss@example.com ,")

    for verified in (None, False, "true"):
        who = visitor_of({**ANNA, "email_verified": verified})
        assert who is not None
        assert not who.is_one_of(admins)
    who = visitor_of({**ANNA, "email_verified": True, "email": "Anna@Example.com"})
    assert who is not None
    assert who.is_one_of(admins)
    assert who.label == "Anna@Example.com"


def test_an_owner_number_makes_an_administrator_and_nothing_makes_nobody_one() -> None:
    who = visitor_of({"iss": "x", "sub": "2"})

    assert who is not None
    assert who.label == who.owner[:8]
    assert who.is_one_of(admins_in(who.owner))
    assert not who.is_one_of(admins_in(""))
    assert not who.is_one_of(admins_in(" , ，"))
