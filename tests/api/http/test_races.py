"""Many requests for the same move at the same time."""

from __future__ import annotations

import threading

from tests.api.http.served import Client, Served
from tests.api.http.test_commands import bid


def test_one_of_sixty_four_concurrent_moves_is_accepted(server: Served) -> None:
    match, players = server.table()
    address = bid(match, players)
    start, answers = threading.Barrier(64), list[int]()

    def race(number: int) -> None:
        client = Client(server.port, players[0].token)
        start.wait()
        body = {"expect": 5, "picks": ["wave"]}
        key = {"idempotency-key": f"k{number}"} if number % 2 else {}
        answers.append(client.post(f"{address}/moves", body, **key).status)
        client.close()

    threads = [threading.Thread(target=race, args=(number,)) for number in range(64)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [201] + [409] * 63
    assert players[0].get(address).json["move"] == 6
