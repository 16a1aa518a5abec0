"""What is asked: every path and command, over all games, in both languages, refusals included."""

from __future__ import annotations

import base64
import hashlib
import json
import time
from pathlib import Path
from typing import Any

from tests.contract.program import run as run_command
from tests.contract.program import serving
from tests.contract.recorder import Caller, Recorder, SocketCaller, command

GAMES = {
    "thirteen_minutes": ("us", "ussr"),
    "cia_vs_kgb": ("cia", "kgb"),
    "twilight_struggle": ("us", "ussr"),
    "imperial_struggle": ("br", "fr"),
}
_ANSWERS = 40  # of each game that is played over HTTP
_QUIET = 1.0  # seconds in which the read models catch up
_LOOKS = 8  # every so many answers the table is looked at


def over_http(folder: Path) -> str:
    """Everything over HTTP, on one server."""
    recorder = Recorder()
    with serving(folder) as port:
        admin_token = _admin(folder)
        admin = Caller(recorder, port, "the admin")
        admin.token = admin_token
        _service(recorder, port)
        ann, ben, organizer = _people(recorder, port, admin)
        for number, (game, seats) in enumerate(GAMES.items()):
            _match(recorder, game, seats, (ann, ben), organizer, "en" if number % 2 else "ru")
        _reservations(recorder, ann, ben)
        _salts(recorder, ann, ben)
        _over(recorder, ann, ben)
        _lists(recorder, ann, admin)
        _what_admins_do(recorder, ann, ben, admin)
        _sessions(recorder, port)
        _clocks(recorder, *_seated_people(recorder, port), organizer)
    return recorder.text


def over_the_socket(folder: Path) -> str:
    """A match of each game over the socket, on one server."""
    recorder = Recorder()
    with serving(folder) as port:
        ann, ben = _seated_people(recorder, port)
        for game, seats in GAMES.items():
            _socket_match(recorder, port, game, seats, ann, ben)
    return recorder.text


def on_the_command_line(folder: Path) -> str:
    """The commands that need no server."""
    recorder = Recorder()

    def run(*arguments: str) -> None:
        command(recorder, folder, *arguments)

    recorder.heading("games")
    for language in ("en", "ru"):
        run("games", "--lang", language)
        for game in GAMES:
            run("games", game, "--lang", language)
    run("games", "chess")
    recorder.heading("play, look, check")
    for game in GAMES:
        run("play", game, "--seed", "2a", "--out", f"{game}.glasnost", "--json")
        run("play", game, "--seed", "2a", "--store", "games")
        run("verify", f"{game}.glasnost")
        for language in ("en", "ru"):
            run("replay", f"{game}.glasnost", "--lang", language, "--at", "30", "--since", "20")
            run("replay", f"{game}.glasnost", "--lang", language)
        run("replay", f"{game}.glasnost", "--at", "25", "--view", "spectator", "--json")
    run("verify", "--store", "games")
    run("verify", "--store", "games", "--json")
    run("export", "--all", "--store", "games", "--format", "ndjson", "--out", "tables")
    for table in sorted((folder / "tables").glob("*.ndjson")):
        recorder.exchange(f"table {table.name}", "", table.read_text("utf-8"))
    recorder.heading("what is refused")
    (folder / "broken.glasnost").write_bytes(b"PK nonsense")
    (folder / "short.json").write_text(json.dumps({"game": "cia_vs_kgb", "answers": []}))
    (folder / "wrong.json").write_text(
        json.dumps({"game": "cia_vs_kgb", "answers": [{"seat": "cia", "picks": ["left"]}]})
    )
    run("verify", "broken.glasnost")
    run("verify", "missing.glasnost")
    run("replay", "broken.glasnost")
    run("replay", "cia_vs_kgb.glasnost", "--at", "100000")
    run("replay", "cia_vs_kgb.glasnost", "--view", "us")
    run("script", "short.json")
    run("script", "wrong.json")
    run("play", "cia_vs_kgb", "--option", "nonsense=1")
    run("play", "cia_vs_kgb", "--edition", "third")
    run("dance")
    return recorder.text


RECORDINGS = {"http": over_http, "socket": over_the_socket, "command_line": on_the_command_line}


def _admin(folder: Path) -> str:
    """The token of the first administrator."""
    code, out, err = run_command(folder, "admin-token", "--store", "store")
    assert code == 0, err
    return out.strip().split("\n")[-1]


def _service(recorder: Recorder, port: int) -> None:
    recorder.heading("the service, the games, the problems")
    for language in ("en", "ru"):
        anyone = Caller(recorder, port, language=language)
        for path in ("/", "/healthz", "/v1/games", "/v1/keys", "/openapi.json", "/v1/nothing"):
            anyone.get(path)
        for game in (*GAMES, "chess"):
            anyone.get(f"/v1/games/{game}")
        anyone.get(f"/v1/games/cia_vs_kgb?lang={language}")
        anyone.get("/v1/games/cia_vs_kgb?edition=standard")
        for kind in _kinds(anyone.get("/openapi.json")):
            anyone.get(f"/problems/{kind}")
        anyone.get("/problems/no-such-kind")
        anyone.post("/v1/games", {})
        anyone.send("DELETE", "/v1/matches", None, {})


def _kinds(document: Any) -> list[str]:
    """The problems that the OpenAPI document names."""
    found: set[str] = set()

    def look(value: Any) -> None:
        if isinstance(value, dict):
            for one in value.values():
                look(one)
        elif isinstance(value, list):
            for one in value:
                look(one)
        elif isinstance(value, str) and value.startswith("/problems/"):
            found.add(value.removeprefix("/problems/"))

    look(document)
    return sorted(kind for kind in found if "{" not in kind)


def _people(recorder: Recorder, port: int, admin: Caller) -> tuple[Caller, Caller, Caller]:
    recorder.heading("people")
    for language in ("en", "ru"):
        anyone = Caller(recorder, port, language=language)
        for body in ({}, {"name": ""}, {"name": "x" * 65}, {"name": 7}, {"name": "A", "role": "admin"}):
            anyone.post("/v1/players", body)
        for raw in (b"", b"{", b"[]", b'{"name": "A", "name": "B"}', b'{"nmae": "A"}', b"\xff"):
            anyone.post("/v1/players", raw)
        anyone.post("/v1/players", {"name": "A"}, content_type="text/html")
        anyone.get("/v1/matches", authorization="Bearer nonsense")
        anyone.post("/v1/matches", {"game": "cia_vs_kgb"})
    ann, ben = _seated_people(recorder, port)
    organizer = Caller(recorder, port, "the organizer")
    organizer.token = admin.post("/v1/players", {"name": "Olga", "role": "organizer"})["token"]
    ann.post("/v1/players", {"name": "Olaf", "role": "organizer"})
    return ann, ben, organizer


def _seated_people(recorder: Recorder, port: int) -> tuple[Caller, Caller]:
    people = []
    for name in ("Ann", "Борис"):
        person = Caller(recorder, port, name)
        told = person.post("/v1/players", {"name": name})
        person.token, person.player = told["token"], told["player"]
        people.append(person)
    return people[0], people[1]


def _opened(recorder: Recorder, game: str, seats: tuple[str, str], players: tuple[Caller, Caller]) -> str:
    """A match of which the seats are taken, with what is refused on the way; its path."""
    ann, ben = players
    for body in (
        {"game": "chess"},
        {"game": game, "edition": "third"},
        {"game": game, "options": {"nonsense": 1}},
        {"game": game, "option": {}},
    ):
        ann.post("/v1/matches", body)
    match = ann.post("/v1/matches", {"game": game}, idempotency_key=f"open {game}")["match"]
    ann.post("/v1/matches", {"game": game}, idempotency_key=f"open {game}")
    ann.post("/v1/matches", {"game": game, "options": {}}, idempotency_key=f"open {game}")
    path = f"/v1/matches/{match}"
    ann.get(path)
    ann.post(f"{path}/moves", {"expect": 1, "picks": []})
    ann.post(f"{path}/seats/nowhere", {})
    ann.post(f"{path}/seats/{seats[0]}", {"bot": "genius"})
    ann.post(f"{path}/seats/{seats[0]}", {"salt": "a b"})
    ann.post(f"{path}/seats/{seats[0]}", {"salt": "a-salt-of-Anns-own-and-long-enough"})
    ben.post(f"{path}/seats/{seats[0]}", {})
    ben.post(f"{path}/seats/{seats[1]}", {})
    return path


def _match(
    recorder: Recorder,
    game: str,
    seats: tuple[str, str],
    players: tuple[Caller, Caller],
    organizer: Caller,
    language: str,
) -> None:
    recorder.heading(f"a match of {game} over HTTP, in {language}")
    ann, ben = (player.speaking(language) for player in players)
    path = _opened(recorder, game, seats, (ann, ben))
    move = 0
    for number in range(_ANSWERS):
        asked = [player for player in (ann, ben) if isinstance(player.get(f"{path}/prompt"), dict)]
        if not asked:
            break
        player = asked[-1]
        other = ben if player is ann else ann
        question = player.get(f"{path}/prompt")
        if number % _LOOKS == 0:
            _refused(path, player, other, question)
            for viewer in ("", f"?view={seats[0]}", f"?view={seats[1]}", "?view=all", "?view=spectator"):
                ann.get(path + viewer)
        body = {"expect": question["move"], "picks": _picks(question, number)}
        told = player.post(f"{path}/moves", body, idempotency_key=f"answer {number}")
        if number % _LOOKS == 1:
            player.post(f"{path}/moves", body, idempotency_key=f"answer {number}")
            player.post(f"{path}/moves", {**body, "picks": []}, idempotency_key=f"answer {number}")
            player.post(f"{path}/moves", body)
        if isinstance(told, dict) and "move" in told:
            move = told["move"]
    _corrections(path, ann, ben, organizer, move)
    _reads(path, ann, seats, move)


def _refused(path: str, player: Caller, other: Caller, question: Any) -> None:
    expect = question["move"]
    player.post(f"{path}/moves", {"expect": expect, "picks": ["nonsense"]})
    player.post(f"{path}/moves", {"expect": expect, "picks": [question["options"][0]["pick"]] * 2})
    player.post(f"{path}/moves", {"expect": expect + 1, "picks": []})
    player.post(f"{path}/moves", {"expect": expect, "answers": [["nonsense"], []]})
    player.post(f"{path}/moves", {"expect": expect})
    other.post(f"{path}/moves", {"expect": expect, "picks": ["nonsense"]})
    other.get(f"{path}/prompt")


def _picks(question: Any, number: int) -> list[str]:
    """A legal answer that differs from question to question."""
    options = [option["pick"] for option in question["options"]]
    count = max(question["least"], min(1, question["most"]))
    first = number * 7 % max(len(options), 1)
    return (options[first:] + options[:first])[:count]


def _corrections(path: str, ann: Caller, ben: Caller, organizer: Caller, move: int) -> None:
    """Takebacks, rulings and the end."""
    ann.post(f"{path}/takebacks", {})
    ann.post(f"{path}/takebacks", {"to": 2})
    for number in (move + 1, move + 2):
        ann.post(f"{path}/takebacks/{number}/answer", {"agree": True})
        ben.post(f"{path}/takebacks/{number}/answer", {"agree": False})
    ann.post(f"{path}/rulings", {"reason": "mine", "void": True})
    organizer.post(f"{path}/rulings", {"reason": " ", "void": True})
    organizer.post(f"{path}/rulings", {"reason": "both", "void": True, "back_to": 3})
    organizer.post(f"{path}/rulings", {"reason": "the clock stood still", "back_to": max(move - 2, 3)})
    ben.post(f"{path}/resignation", {})
    ben.post(f"{path}/resignation", {})
    ann.get(f"{path}/prompt")


def _reads(path: str, ann: Caller, seats: tuple[str, str], move: int) -> None:
    """Every look at a finished match."""
    for view in ("", "?view=all", f"?view={seats[1]}", "?view=spectator", "?view=nobody", "?at=5&view=all"):
        ann.get(path + view)
    for query in ("", "?after=3&limit=4", "?limit=0", "?limit=500", "?after=x", "?view=all&proof=true"):
        ann.get(f"{path}/moves{query}")
    ann.get(f"{path}/moves", accept="application/x-ndjson")
    ann.get(f"{path}/moves", accept="text/event-stream")
    ann.get(f"{path}/moves", accept="text/event-stream", last_event_id=str(move))
    ann.get(f"{path}/turns")
    for size in ("", "?move=1", f"?move={move}", "?move=0", "?move=100000"):
        ann.get(f"{path}/checkpoint{size}")
    content = ann.get(f"{path}/file")
    ann.send("POST", "/v1/replays", content, {"content_type": "application/zip"})


def _reservations(recorder: Recorder, ann: Caller, ben: Caller) -> None:
    recorder.heading("reserved seats")
    for caller in (ann, ann.speaking("ru")):
        for seat, reserved in (("us", {}), ("moon", {"invitation": True}), ("us", {"player": "nobody"})):
            caller.post("/v1/matches", {"game": "thirteen_minutes", "reserved": {seat: reserved}})
    both = {"us": {"player": ann.player}, "ussr": {"invitation": True}}
    told = ann.post("/v1/matches", {"game": "thirteen_minutes", "reserved": both})
    path, code = f"/v1/matches/{told['match']}", told["invitations"]["ussr"]
    for caller in (ben, ben.speaking("ru")):
        caller.get(f"{path}/reservations")
        caller.post(f"{path}/seats/us", {})
        caller.post(f"{path}/seats/ussr", {})
        caller.post(f"{path}/seats/ussr", {"invitation": "another"})
        caller.post(f"{path}/seats/us/reservation", {"invitation": True})
    ann.post(f"{path}/seats/us/reservation/withdrawal", {})
    ann.post(f"{path}/seats/ussr", {"bot": "random"})
    ben.post(f"{path}/seats/ussr", {"invitation": code})
    ann.get(f"{path}/reservations")
    ben.get(path)


def _salts(recorder: Recorder, ann: Caller, ben: Caller) -> None:
    recorder.heading("salts behind their hashes")
    salt = "a-salt-of-Anns-own-and-long-enough-to-be-one"
    salt_hash = base64.b64encode(hashlib.sha256(salt.encode()).digest()).decode()
    match = ann.post("/v1/matches", {"game": "thirteen_minutes"})["match"]
    path = f"/v1/matches/{match}"
    for caller in (ann, ann.speaking("ru")):
        caller.post(f"{path}/seats/us", {"salt_hash": salt_hash, "salt": salt})
        caller.post(f"{path}/seats/us", {"salt_hash": "short"})
        caller.post(f"{path}/seats/us/salt", {"salt": salt})
    ann.post(f"{path}/seats/us", {"salt_hash": salt_hash})
    ben.post(f"{path}/seats/ussr", {})
    for caller in (ann, ann.speaking("ru")):
        caller.get(path)
        caller.get(f"{path}/prompt")
        caller.post(f"{path}/closing", {})
        caller.post(f"{path}/seats/us/salt", {"salt": salt + "?"})
    ann.post(f"{path}/seats/us/salt", {"salt": salt})
    ann.get(f"{path}/moves")


def _what_admins_do(recorder: Recorder, ann: Caller, ben: Caller, admin: Caller) -> None:
    recorder.heading("what admins do")
    foreign = "/v1/matches/m" + "a" * 16 + "/withdrawal"
    for caller in (ann, ann.speaking("ru"), admin):
        caller.post(foreign, {"reason": "a forgery"})
        caller.post(f"/v1/players/{ben.player}/name", {"name": "Benno"})
        caller.post(f"/v1/players/{ben.player}/revocation", {"reason": "lost"})
        caller.post("/v1/players/nobody/revocation", {"reason": "lost"})
        caller.get("/v1/players?name=ann")
        caller.get("/v1/players?prefix=a")
        caller.get("/v1/players?prefix=a&name=ann")
        caller.get("/v1/players?prefix=be")
        caller.get(f"/v1/players/{ben.player}")
        caller.get("/v1/audit")
    ben.get("/v1/players?name=ann")
    ann.post(f"/v1/players/{ann.player}/token", {"reason": "stolen"})
    admin.post(f"/v1/players/{ann.player}/forgetting", {"reason": "asked for"})
    admin.get(f"/v1/players/{ann.player}")
    admin.get("/v1/audit")


def _sessions(recorder: Recorder, port: int) -> None:
    recorder.heading("sessions")
    _, ben = _seated_people(recorder, port)
    for language in ("en", "ru"):
        page = Caller(recorder, port, "a page", language)
        for body in ({}, {"token": "guess"}, {"code": "guess"}, {"token": ben.token, "code": "guess"}):
            page.post("/v1/sessions", body, sec_fetch_site="same-origin")
        page.post("/v1/sessions", {"token": ben.token}, sec_fetch_site="cross-site")
        page.post("/v1/sessions", {"token": ben.token})
        page.post("/v1/sessions/links", {}, sec_fetch_site="same-origin")
    signed_in = page.post("/v1/sessions", {"token": ben.token}, sec_fetch_site="same-origin")
    ben.get("/v1/sessions")
    ben.send("DELETE", "/v1/sessions/current", None, {})
    ben.send("DELETE", f"/v1/sessions/{signed_in['session']}", None, {})
    ben.post("/v1/sessions/links", {"player": "nobody"})


def _clocks(recorder: Recorder, ann: Caller, ben: Caller, judge: Caller) -> None:
    recorder.heading("clocks")
    bank = {"mode": "bank", "main": 600, "increment": 10}
    wrong = (
        {"mode": "bank", "main": 0},
        {"mode": "bank", "main": 9, "cap": 8},
        [bank, bank],
        {"mode": "sand"},
    )
    for caller in (ann, ann.speaking("ru")):
        for clock in wrong:
            caller.post("/v1/matches", {"game": "thirteen_minutes", "clock": clock})
    match = ann.post("/v1/matches", {"game": "thirteen_minutes", "clock": bank})["match"]
    path = f"/v1/matches/{match}"
    ann.post(f"{path}/seats/us", {})
    ben.post(f"{path}/seats/ussr", {})
    question = ann.get(f"{path}/prompt")
    ann.post(f"{path}/moves", {"expect": question["move"], "picks": _picks(question, 0)})
    ann.get(path)
    ann.get(f"{path}?at=2")
    ann.get(f"{path}/moves?after=2")
    ann.get("/v1/lobby")
    _desk(path, ann, ben, judge)


def _desk(path: str, ann: Caller, ben: Caller, judge: Caller) -> None:
    """Gifts of time, pauses, a frozen match; the changes that are refused, in both languages."""
    for caller in (ann, ann.speaking("ru")):
        for wrong in (
            {},
            {"seat": "us", "more": 1},
            {"seat": "ussr", "left": 1},
            {"seat": "moon", "more": 1},
        ):
            caller.post(f"{path}/clock", wrong)
        caller.post(f"{path}/clock", {"paused": True, "why": "mine"})
        caller.post(f"{path}/freeze", {"reason": "mine"})
    ann.post(f"{path}/clock", {"seat": "ussr", "more": 900_000_000}, idempotency_key="gift")
    ann.post(f"{path}/clock", {"seat": "ussr", "more": 900_000_000}, idempotency_key="gift")
    judge.post(f"{path}/clock", {"seat": "us", "left": 60_000_000, "why": "the bell rang", "expect": 2})
    judge.post(f"{path}/clock", {"seat": "us", "left": 600_000_000, "why": "the bell rang"})
    judge.post(f"{path}/clock", {"paused": True, "why": "lunch"})
    judge.post(f"{path}/freeze", {"reason": "a dispute"})
    for caller in (ben, ben.speaking("ru")):
        caller.post(f"{path}/resignation", {})
        caller.post(f"{path}/clock", {"seat": "us", "more": 1})
    for caller in (judge, judge.speaking("ru")):
        caller.post(f"{path}/freeze", {"reason": "again"})
        caller.post(f"{path}/clock", {"paused": True, "why": "again"})
    ann.get(path)
    ann.get("/v1/lobby")
    ann.get(f"{path}/moves?after=4")
    judge.post(f"{path}/freeze", {"reason": "settled", "frozen": False})
    judge.post(f"{path}/clock", {"paused": False, "why": "after lunch"})
    ben.post(f"{path}/resignation", {})


def _over(recorder: Recorder, ann: Caller, ben: Caller) -> None:
    recorder.heading("matches that end otherwise, tickets, a bot")
    for caller in (ann, ann.speaking("ru")):
        caller.get("/v1/matches/nonsense")
        caller.get("/v1/matches/m" + "a" * 16)
        caller.post("/v1/streams/tickets", {"match": "m" + "a" * 16})
        caller.post("/v1/replays", b"PK nonsense", content_type="application/zip")
        caller.post("/v1/replays", {})
    match = ann.post("/v1/matches", {"game": "thirteen_minutes"})["match"]
    path = f"/v1/matches/{match}"
    ann.post(f"{path}/seats/us", {})
    ann.post(f"{path}/seats/ussr", {"bot": "random"})
    ann.post("/v1/streams/tickets", {"match": match})
    ann.post("/v1/streams/tickets", {"match": match, "view": "ussr"})
    for number in range(60):
        question = ann.get(f"{path}/prompt")
        if not isinstance(question, dict):
            break
        ann.post(f"{path}/moves", {"expect": question["move"], "picks": _picks(question, number)})
    ann.get(path)
    ann.post(f"{path}/branches", {"at": 1})
    ann.speaking("ru").post(f"{path}/branches", {"at": 1})
    ann.post(f"{path}/branches", {"at": 9})
    ann.get(f"{path}/branches")


def _lists(recorder: Recorder, ann: Caller, admin: Caller) -> None:
    recorder.heading("lists, boards, refusals")
    time.sleep(_QUIET)
    for caller in (ann, ann.speaking("ru")):
        for path in (
            "/v1/matches",
            "/v1/lobby?since=0",
            "/v1/lobby?since=-1",
            "/v1/matches?limit=2",
            "/v1/matches?limit=500",
            "/v1/matches?status=over&game=cia_vs_kgb",
            "/v1/matches?game=chess",
            "/v1/matches?colour=red",
            f"/v1/matches?player={ann.player}&status=over",
            f"/v1/players/{ann.player}/matches",
            "/v1/players/nobody/matches",
            *(f"/v1/scoreboards/{game}" for game in GAMES),
            "/v1/scoreboards/chess",
            "/v1/refusals",
        ):
            caller.get(path)
    admin.get("/v1/refusals?limit=3")


def _socket_match(
    recorder: Recorder, port: int, game: str, seats: tuple[str, str], ann: Caller, ben: Caller
) -> None:
    recorder.heading(f"a match of {game} over the socket")
    match = ann.post("/v1/matches", {"game": game})["match"]
    sockets = [SocketCaller(recorder, port, player) for player in (ann, ben)]
    spectator = SocketCaller(recorder, port, Caller(recorder, port, "a spectator"))
    spectator.say({"do": "enter", "id": 1, "language": "ru"})
    for socket, lean in ((sockets[0], False), (spectator, True)):
        socket.say({"do": "follow", "id": "f", "match": match, "lean": lean})
    for player, seat in zip((ann, ben), seats, strict=True):
        player.post(f"/v1/matches/{match}/seats/{seat}", {})
    sockets[0].say({"do": "dance", "id": 2})
    spectator.say({"do": "lobby", "id": 3, "since": 0})
    sockets[0].say("nonsense")
    for number in range(12):
        for socket in sockets:
            question = socket.say({"do": "prompt", "id": number, "match": match}).get("done")
            if question:
                picks = _picks(question, number)
                play = {
                    "do": "play",
                    "id": number,
                    "match": match,
                    "expect": question["move"],
                    "picks": picks,
                }
                socket.say({**play, "picks": ["nonsense"]})
                socket.say({**play, "key": f"answer {number}"})
                socket.say({**play, "key": f"answer {number}"})
                break
    spectator.say({"do": "play", "id": 9, "match": match, "expect": 3, "picks": []})
    sockets[1].say({"do": "takeback", "id": "t", "match": match})
    sockets[1].say({"do": "answer_takeback", "id": "a", "match": match, "request": 5, "agree": True})
    sockets[1].say({"do": "resign", "id": "r", "match": match})
    sockets[0].pushed()
    spectator.pushed()
    for socket in (*sockets, spectator):
        socket.close()
