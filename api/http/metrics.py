"""What a monitoring system may ask: Prometheus metrics.  They count; they tell nothing of any match."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import cast

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from api.gate import Gate
from api.http.limits import AtOnce

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)


_without_times_of_creation = cast("Callable[[], None]", disable_created_metrics)


class Metrics:
    """The counters of one server.

    Args:
        gate: its refusals are counted.
        streams: the streams that are open.
    """

    def __init__(self, gate: Gate, streams: AtOnce) -> None:
        _without_times_of_creation()
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "glasnost_requests",
            "Requests answered.",
            ("method", "route", "status"),
            registry=self._registry,
        )
        self._seconds = Histogram(
            "glasnost_request_seconds",
            "Time until the answer began.",
            ("route",),
            buckets=_SECONDS,
            registry=self._registry,
        )
        self._registry.register(_Now(gate, streams))

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count one request."""
        self._requests.labels(method, route, status).inc()
        self._seconds.labels(route).observe(seconds)

    def text(self) -> bytes:
        """The metrics in Prometheus' text format."""
        return generate_latest(self._registry)


class _Now(Collector):
    """What is counted elsewhere, looked up when somebody asks."""

    def __init__(self, gate: Gate, streams: AtOnce) -> None:
        self._gate, self._streams = gate, streams

    def collect(self) -> Iterator[Metric]:
        """See `Collector.collect`."""
        refusals = CounterMetricFamily("glasnost_refusals", "Commands refused.", labels=("kind",))
        for kind, count in sorted(self._gate.refusals.counts.items()):
            refusals.add_metric((kind,), count)
        yield refusals
        yield GaugeMetricFamily("glasnost_streams", "Streams open.", value=self._streams.total)
        yield GaugeMetricFamily("glasnost_matches_at_hand", "Matches in memory.", value=self._gate.at_hand)
