"""Which addresses a server may be sent to by its users: those of the open internet alone."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

_TRANSLATED = (ip_network("64:ff9b::/96"), ip_network("64:ff9b:1::/48"))
"""Addresses of IPv4 that a gateway reaches through IPv6."""

_OF_PROTOCOLS = ip_network("192.0.0.0/24")
"""Called global by some releases of Python; a cloud has its metadata service there."""


def is_public(address: str) -> bool:
    """Say whether a numeric address is one of the open internet.

    Not public are this machine, private and link-local networks (where clouds keep their metadata
    service), multicast, what is reserved, and all of these written as IPv6. Text that is no address
    is not public either.
    """
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    inner = _inner(found) if isinstance(found, IPv6Address) else None
    if inner is not None:
        found = inner
    if found in _OF_PROTOCOLS:
        return False
    return found.is_global and not found.is_multicast and not found.is_reserved


def _inner(address: IPv6Address) -> IPv4Address | None:
    """Return the address of IPv4 that an address of IPv6 stands for, if it does."""
    if any(address in network for network in _TRANSLATED):
        return IPv4Address(int(address) & 0xFFFFFFFF)
    teredo = address.teredo
    return address.ipv4_mapped or address.sixtofour or (teredo[1] if teredo else None)
