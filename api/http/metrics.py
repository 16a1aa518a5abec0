"""Prometheus metrics.  They count; they tell nothing of any match."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from api.bus import Bus
from api.gate import Gate
from api.histogram import Histogram
from api.http.connections import Connections
from api.http.health import HealthMonitor
from api.http.rate_limits import AtOnce
from api.mail.worker import Figures

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)


class Metrics(Collector):
    """The metrics of one server: the requests, which are counted here, and what is counted elsewhere.

    Args:
        collectors: look up what is counted elsewhere.
    """

    def __init__(self, *collectors: Collector) -> None:
        self._requests: Counter[tuple[str, str, int]] = Counter()
        self._seconds: dict[str, Histogram] = {}
        self._registry = CollectorRegistry()
        for collector in (self, *collectors):
            self._registry.register(collector)

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count one request."""
        self._requests[method, route, status] += 1
        known = self._seconds.get(route)
        if known is None:
            known = self._seconds[route] = Histogram(_SECONDS)
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
        for route, histogram in sorted(self._seconds.items()):
            seconds.add_metric((route,), histogram.buckets, histogram.sum)
        yield seconds

    def text(self) -> bytes:
        """The metrics in Prometheus' text format."""
        return generate_latest(self._registry)


# Metrics that are counted elsewhere and read on each scrape.  Nothing here asks the store, or waits.
#
# docs/operations.md describes each; a test holds the two against each other.


class OfTheGate(Collector):
    """What was done, and who is there.

    Args:
        gate: takes every command.
        streams: the streams that are open, and the matches that sockets follow.
        sockets: the sockets that are open.
        connections: all that are open.
    """

    def __init__(self, gate: Gate, streams: AtOnce, sockets: AtOnce, connections: Connections) -> None:
        self._gate, self._streams, self._sockets = gate, streams, sockets
        self._connections = connections

    def collect(self) -> Iterator[Metric]:
        """See `Collector.collect`."""
        gate, counts = self._gate, self._gate.counts
        yield _counted("glasnost_moves", "Moves stored.", "game", counts.moves)
        yield _counted("glasnost_commands", "Commands carried out.", "command", counts.commands)
        yield _counted("glasnost_refusals", "Commands refused.", "kind", gate.refusals.counts)
        yield CounterMetricFamily("glasnost_in_doubt", "Appends that ended in doubt.", value=counts.doubts)
        yield _spread(
            "glasnost_feed_seconds", "From a move made elsewhere to its being here.", [counts.delays]
        )
        thinking = HistogramMetricFamily(
            "glasnost_bot_seconds", "Time in which a bot found an answer.", labels=("game", "level")
        )
        for kind, histogram in sorted(gate.workers.seconds.items()):
            thinking.add_metric(kind, histogram.buckets, histogram.sum)
        yield thinking
        yield GaugeMetricFamily("glasnost_bot_queue", "Questions that wait.", value=gate.workers.waiting)
        yield GaugeMetricFamily("glasnost_streams", "Streams open.", value=self._streams.total)
        yield GaugeMetricFamily("glasnost_sockets", "Sockets open.", value=self._sockets.total)
        yield GaugeMetricFamily("glasnost_connections", "Connections open.", value=self._connections.count)
        closed = self._connections.closed
        yield _counted("glasnost_connections_closed", "Connections refused or cut off.", "reason", closed)
        yield GaugeMetricFamily("glasnost_matches_at_hand", "Matches in memory.", value=gate.at_hand)
        told = "Bytes of memory that these take, about."
        yield GaugeMetricFamily("glasnost_matches_at_hand_bytes", told, value=gate.weight)


class OfTheStore(Collector):
    """How the store and what follows it are, as far as the latest look goes.

    Args:
        gate: its store's writer counts.
        vitals: the latest look.
    """

    def __init__(self, gate: Gate, monitor: HealthMonitor) -> None:
        self._gate, self._monitor = gate, monitor

    def collect(self) -> Iterator[Metric]:
        """See `Collector.collect`."""
        writers = self._gate.store.figures
        waiting = sum(writer.waiting for writer in writers)
        yield GaugeMetricFamily("glasnost_commit_queue", "Appends that wait for the writer.", value=waiting)
        seconds, sizes = [writer.seconds for writer in writers], [writer.sizes for writer in writers]
        yield _spread("glasnost_commit_seconds", "From handing over to durable.", seconds)
        yield _spread("glasnost_commit_group", "Appends in one transaction.", sizes)
        yield from self._looked()
        yield from self._followed()

    def _looked(self) -> Iterator[Metric]:
        look = self._monitor.latest
        lag = look.lag if look else None
        yield _gauge(
            "glasnost_store_looked_seconds", "Since the store was last looked at.", self._monitor.age
        )
        writable = None if look is None else float(not look.trouble)
        yield _gauge("glasnost_store_writable", "1: a small write was durable.", writable)
        yield _gauge("glasnost_store_bytes", "Bytes that the store takes.", look.size if look else None)
        there = None if look is None or look.trouble or not (lag or look.replica_away) else float(bool(lag))
        yield _gauge("glasnost_replica_up", "1: the replica answers.", there)
        yield _gauge("glasnost_replica_behind_moves", "Moves that it lacks.", lag.moves if lag else None)
        yield _gauge(
            "glasnost_replica_lag_seconds", "How old the oldest of them may be.", lag.seconds if lag else None
        )

    def _followed(self) -> Iterator[Metric]:
        known = (self._monitor.latest and self._monitor.latest.projections) or []
        behind = GaugeMetricFamily(
            "glasnost_projection_behind_records", "Records that it lacks.", labels=("projection",)
        )
        failing = GaugeMetricFamily(
            "glasnost_projection_failing", "1: it stopped at a record.", labels=("projection",)
        )
        for status in known:
            behind.add_metric((status.name,), status.behind)
            failing.add_metric((status.name,), float(status.failure is not None))
        yield behind
        yield failing


class OfTheMail(Collector):
    """How mail is, where it is sent.

    Args:
        figures: None if no mail is sent here.
    """

    def __init__(self, figures: Figures | None) -> None:
        self._figures = figures

    def collect(self) -> Iterator[Metric]:
        """See `Collector.collect`."""
        of, counts = self._figures, dict[str, int]()
        if of is not None:
            counts = {"sent": of.sent, "failed": of.failed, "refused": of.refused, "dropped": of.dropped}
        yield _counted("glasnost_mail", "Messages by what became of the attempt.", "outcome", counts)
        yield _gauge("glasnost_mail_waiting", "Messages in the outbox.", of.waiting if of else None)


class OfTheBus(Collector):
    """How Redis is, where there is one.

    Args:
        bus: gives it, None where there is none.
        clock: the bus's own.
    """

    def __init__(self, bus: Callable[[], Bus | None], clock: Callable[[], float] = time.monotonic) -> None:
        self._bus, self._clock = bus, clock

    def collect(self) -> Iterator[Metric]:
        """See `Collector.collect`."""
        bus = self._bus()
        heard = bus.heard_at if bus else None
        silent = None if heard is None else max(self._clock() - heard, 0.0)
        yield _gauge("glasnost_redis_up", "1: Redis answers.", float(not bus.health.away) if bus else None)
        yield _gauge("glasnost_redis_waiting", "News that Redis has not taken.", bus.waiting if bus else None)
        yield _gauge(
            "glasnost_redis_silent_seconds", "Seconds since Redis last answered the consumer.", silent
        )


def _counted(name: str, about: str, label: str, counts: Mapping[str, int]) -> Metric:
    family = CounterMetricFamily(name, about, labels=(label,))
    for value, count in sorted(counts.items()):
        family.add_metric((value,), count)
    return family


def _gauge(name: str, about: str, value: float | None) -> Metric:
    """A gauge; without a sample where the value is not known."""
    return GaugeMetricFamily(name, about, value=value)


def _spread(name: str, about: str, histograms: Iterable[Histogram]) -> Metric:
    """A histogram of several tallies with the same bounds together; without a sample where there is none."""
    family, several = HistogramMetricFamily(name, about), list(histograms)
    if several:
        columns = zip(*(histogram.buckets for histogram in several), strict=True)
        buckets = [(column[0][0], sum(count for _, count in column)) for column in columns]
        family.add_metric((), buckets, sum(histogram.sum for histogram in several))
    return family
