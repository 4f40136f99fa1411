"""Only addresses of the open internet may be typed into a shared server."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.reach import is_public


@pytest.mark.parametrize("address", ["1.1.1.1", "8.8.8.8", "2606:4700:4700::1111"])
def test_the_open_internet_may_be_reached(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "127.9.9.9", "0.0.0.0", "10.0.0.1", "172.16.0.1", "192.168.1.1",
        "169.254.169.254", "100.64.0.1", "100.100.100.200", "192.0.0.192", "198.18.0.1",
        "224.0.0.1", "255.255.255.255", "240.0.0.1",
        "::", "::1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd00:ec2::254", "ff02::1",
        "::ffff:127.0.0.1", "::ffff:169.254.169.254", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe",
        "64:ff9b:1::a00:1", "2002:7f00:1::", "2002:a9fe:a9fe::",
        "", "localhost", "127.1", "0x7f000001", "2130706433", "example.com",
    ],
)  # fmt: skip
def test_this_machine_private_networks_and_metadata_may_not(address: str) -> None:
    assert not is_public(address)


@given(st.ip_addresses(v=4))
def test_an_address_of_ipv4_written_as_ipv6_is_judged_by_what_it_means(
    address: IPv4Address,
) -> None:
    number = int(address)
    mapped = IPv6Address((0xFFFF << 32) | number)
    translated = IPv6Address((0x64FF9B << 96) | number)

    assert is_public(str(mapped)) == is_public(str(address))
    assert is_public(str(translated)) == is_public(str(address))
