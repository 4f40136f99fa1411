"""The formulas of calculation tasks (计算题): named, pure, in bytes, seconds, requests and tokens.

Bank files name a formula; they never hold one.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping

BITS = 8
GIB = 2**30
KIB = 2**10
GIGA = 1e9
TERA = 1e12
MILLI = 1e-3


def kv_bytes_per_token(
    layers: float, kv_heads: float, head_dim: float, value_bytes: float
) -> float:
    """Return the KV bytes of one token: K and V, in every layer."""
    return 2 * layers * kv_heads * head_dim * value_bytes


def kv_bytes(
    layers: float,
    kv_heads: float,
    head_dim: float,
    value_bytes: float,
    tokens: float,
    requests: float,
) -> float:
    """Return the logical KV bytes of `requests` requests that cache `tokens` tokens each."""
    return kv_bytes_per_token(layers, kv_heads, head_dim, value_bytes) * tokens * requests


def volume_bytes(gib: float) -> float:
    """Return bytes."""
    return gib * GIB


def link_bytes(gbit_per_second: float) -> float:
    """Return what a link carries in a second; its rate is decimal and in bits."""
    return gbit_per_second * GIGA / BITS


def transfer_seconds(gib: float, gbit_per_second: float) -> float:
    """Return the least time that the bytes need on a link."""
    return volume_bytes(gib) / link_bytes(gbit_per_second)


def duration_seconds(duration_ms: float) -> float:
    """Return seconds."""
    return duration_ms * MILLI


def decoding_seconds(tpot_ms: float, output_tokens: float) -> float:
    """Return the time from the first output token to the last: one interval fewer than tokens."""
    return duration_seconds(tpot_ms) * (output_tokens - 1)


def e2e_seconds(ttft_ms: float, tpot_ms: float, output_tokens: float) -> float:
    """Return the end-to-end time: E2E = TTFT + (N - 1) × TPOT."""
    return duration_seconds(ttft_ms) + decoding_seconds(tpot_ms, output_tokens)


def decoding_left_seconds(e2e_s: float, ttft_ms: float) -> float:
    """Return what remains of the end-to-end time after the first token."""
    return e2e_s - duration_seconds(ttft_ms)


def tpot_seconds(e2e_s: float, ttft_ms: float, output_tokens: float) -> float:
    """Return the mean time per output token after the first: (E2E - TTFT) / (N - 1)."""
    return decoding_left_seconds(e2e_s, ttft_ms) / (output_tokens - 1)


def in_flight_requests(requests_per_second: float, stay_s: float) -> float:
    """Return the mean number of requests in the system: Little's law, L = λW."""
    return requests_per_second * stay_s


def rate_over_stay(requests_per_second: float, stay_s: float) -> float:
    """Return λ / W, which is no number of requests."""
    return requests_per_second / stay_s


def cached_bytes(kib_per_token: float, tokens: float) -> float:
    """Return the KV bytes of one request."""
    return kib_per_token * KIB * tokens


def concurrent_requests(kv_gib: float, kib_per_token: float, tokens: float) -> float:
    """Return how many requests of `tokens` tokens the KV memory holds."""
    return volume_bytes(kv_gib) / cached_bytes(kib_per_token, tokens)


def completed_per_second(
    kv_gib: float, kib_per_token: float, tokens: float, stay_s: float
) -> float:
    """Return the rate at which a full system can complete requests: λ = L / W."""
    return concurrent_requests(kv_gib, kib_per_token, tokens) / stay_s


def weight_bytes(billions: float, bits: float, cards: float) -> float:
    """Return the bytes of the weights that one of `cards` cards holds when they are cut evenly."""
    return billions * GIGA * bits / BITS / cards


def read_bytes(weights_gb: float, kv_gb: float) -> float:
    """Return the bytes that one decode step reads: all weights and the cached KV."""
    return (weights_gb + kv_gb) * GIGA


def read_seconds(weights_gb: float, kv_gb: float, terabytes_per_second: float) -> float:
    """Return the least time of a decode step that is bound by memory bandwidth."""
    return read_bytes(weights_gb, kv_gb) / (terabytes_per_second * TERA)


FORMULAS: Mapping[str, Callable[..., float]] = {
    formula.__name__: formula
    for formula in (
        kv_bytes_per_token,
        kv_bytes,
        volume_bytes,
        link_bytes,
        transfer_seconds,
        duration_seconds,
        decoding_seconds,
        e2e_seconds,
        decoding_left_seconds,
        tpot_seconds,
        in_flight_requests,
        rate_over_stay,
        cached_bytes,
        concurrent_requests,
        completed_per_second,
        weight_bytes,
        read_bytes,
        read_seconds,
    )
}


def evaluate(name: str, values: Mapping[str, float | str]) -> float:
    """Return the formula's result, its arguments taken from `values` by name.

    Raises `ValueError` for an unknown formula, an argument that is missing or no number, and a
    division by zero.
    """
    if name not in FORMULAS:
        raise ValueError(f"没有公式 {name!r}；可用：{'、'.join(FORMULAS)}")
    formula = FORMULAS[name]
    arguments: dict[str, float] = {}
    for parameter in inspect.signature(formula).parameters:
        value = values.get(parameter)
        if value is None or isinstance(value, str):
            raise ValueError(f"公式 {name!r} 需要数值参数 {parameter!r}")
        arguments[parameter] = value
    try:
        return formula(**arguments)
    except ZeroDivisionError as error:
        raise ValueError(f"公式 {name!r} 除以了零：{arguments}") from error
