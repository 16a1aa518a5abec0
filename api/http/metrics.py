"""What a monitoring system may ask: Prometheus metrics.  They count; they tell nothing of any match."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.registry import Collector

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)


_without_times_of_creation = cast("Callable[[], None]", disable_created_metrics)


class Metrics:
    """The counters of one server.

    Args:
        collectors: look up what is counted elsewhere.
    """

    def __init__(self, *collectors: Collector) -> None:
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
        self._known: dict[tuple[str, str, int], tuple[Counter, Histogram]] = {}
        for collector in collectors:
            self._registry.register(collector)

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count one request."""
        counted = self._known.get((method, route, status))
        if counted is None:
            counted = self._requests.labels(method, route, status), self._seconds.labels(route)
            self._known[method, route, status] = counted
        counted[0].inc()
        counted[1].observe(seconds)

    def text(self) -> bytes:
        """The metrics in Prometheus' text format."""
        return generate_latest(self._registry)
