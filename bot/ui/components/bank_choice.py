"""The choice of a bank, the same on every page."""

from __future__ import annotations

from contextlib import suppress

import streamlit as st

from bot.bootstrap import Services
from bot.domain.bank import Bank
from bot.errors import BankError
from bot.ui import state


def chosen_bank(services: Services, *, key: str) -> Services:
    """Return the services over the bank that is chosen; with one bank there is nothing to ask."""
    banks = _readable_banks(services)
    names = list(banks)
    wanted = state.wanted_bank()
    name = st.selectbox(
        "题库",
        names,
        index=names.index(wanted if wanted in banks else services.bank.id),
        format_func=lambda one: f"{banks[one].title}（{len(banks[one].questions)} 道题）",
        key=key,
        on_change=lambda: state.choose_bank(st.session_state[key]),
        disabled=len(names) == 1,
    )
    state.keep_bank(name)
    return services.for_bank(name)


def _readable_banks(services: Services) -> dict[str, Bank]:
    """Return the banks by name; one that somebody broke by hand must not close the page."""
    found = {services.bank.id: services.bank}
    for name in services.banks.names():
        with suppress(BankError):
            found[name] = services.banks.load(name)
    return found
