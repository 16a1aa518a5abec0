"""What a monitoring system may ask: Prometheus metrics.  They count; they tell nothing of any match."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from api.tally import Tally

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)


class Metrics(Collector):
    """The metrics of one server: the requests, which are counted here, and what is counted elsewhere.

    Args:
        collectors: look up what is counted elsewhere.
    """

    def __init__(self, *collectors: Collector) -> None:
        self._requests: Counter[tuple[str, str, int]] = Counter()
        self._seconds: dict[str, Tally] = {}
        self._registry = CollectorRegistry()
        for collector in (self, *collectors):
            self._registry.register(collector)

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count one request."""
        self._requests[method, route, status] += 1
        known = self._seconds.get(route)
        if known is None:
            known = self._seconds[route] = Tally(_SECONDS)
        known.add(seconds)

    def collect(self) -> Iterator[Metric]:
        """See `Collector.collect`."""
        labels = ("method", "route", "status")
        requests = CounterMetricFamily("glasnost_requests", "Requests answered.", labels=labels)
        for (method, route, status), count in sorted(self._requests.items()):
            requests.add_metric((method, route, str(status)), count)
        yield requests
        seconds = HistogramMetricFamily(
            "glasnost_request_seconds", "Time until the answer began.", labels=("route",)
        )
        for route, tally in sorted(self._seconds.items()):
            seconds.add_metric((route,), tally.buckets, tally.sum)
        yield seconds

    def text(self) -> bytes:
        """The metrics in Prometheus' text format."""
        return generate_latest(self._registry)
