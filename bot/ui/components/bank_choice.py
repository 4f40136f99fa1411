"""The choice of a bank, the same on every page."""

from __future__ import annotations

from contextlib import suppress

import streamlit as st

from bot.bootstrap import Services
from bot.domain.bank import Bank
from bot.errors import BankError
from bot.ui import state
from bot.ui.words import t


def chosen_bank(services: Services, *, key: str) -> Services:
    """Return the services over the bank that is chosen; with one bank there is nothing to ask."""
    banks = _readable_banks(services)
    wanted = state.wanted_bank()
    name = wanted if wanted in banks else services.bank.id
    if len(banks) == 1:
        st.caption(t("题库：{bank}", bank=_told(banks[name])))
    else:
        name = st.selectbox(
            t("题库"),
            list(banks),
            index=list(banks).index(name),
            format_func=lambda one: _told(banks[one]),
            key=key,
            on_change=lambda: state.choose_bank(st.session_state[key]),
        )
    state.keep_bank(name)
    return services.for_bank(name)


def _told(bank: Bank) -> str:
    return t("{title}（{count} 道题）", title=bank.title, count=len(bank.questions))


def _readable_banks(services: Services) -> dict[str, Bank]:
    """Return the banks by name; one that somebody broke by hand must not close the page."""
    found = {services.bank.id: services.bank}
    for name in services.banks.names():
        with suppress(BankError):
            found[name] = services.banks.load(name)
    return found
