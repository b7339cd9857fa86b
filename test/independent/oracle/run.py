"""Asks a running server random questions about random load tests, and computes each answer from the raw rows by itself.

    python3 test/independent/oracle/run.py --questions 300 --seed 1

Exit code 1: an answer is wrong. Then the question and the command that asks it again are printed.
"""

import argparse
import pathlib
import random as randoms
import sys
import tempfile
import time

from files import any_file
from questions import Questions, Wrong
from raw import Draw, World
from server import PROGRAM, Server
from telemetry import metrics, sent_measures, sent_requests, spans

#: Questions about each load test.
QUESTIONS = 12


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--only", type=int, help="asks about this load test alone")
    parser.add_argument(
        "--failures", type=int, default=1, help="ends after so many load tests with wrong answers"
    )
    parser.add_argument("--keep", help="writes files and bodies into this folder")
    parser.add_argument("--program", default=str(PROGRAM))
    given = parser.parse_args()
    numbers = [given.only] if given.only is not None else range(-(-given.questions // QUESTIONS))
    begun, wrong, asked = time.time(), 0, 0
    with tempfile.TemporaryDirectory(prefix="oracle-") as folder:
        server = Server(folder, given.program, given.keep)
        try:
            for number in numbers:
                told = ask_about(server, given.seed, number)
                asked += QUESTIONS
                if told is not None:
                    wrong += 1
                    print(told)
                    print(
                        f"  again: python3 {pathlib.Path(sys.argv[0])} --seed {given.seed} --only {number}",
                        flush=True,
                    )
                    if wrong >= given.failures:
                        break
        finally:
            server.close()
    print(
        f"{asked} questions, seed {given.seed}, {wrong} load tests with a wrong answer, {time.time() - begun:.0f} s"
    )
    return 1 if wrong else 0


def ask_about(server: Server, seed: int, number: int) -> str | None:
    """Returns what is wrong."""
    random = randoms.Random(f"{seed}/{number}")
    world = World(f"run-{number}")
    path, what = "sending", []
    try:
        build(random, world, server, what)
        questions = Questions(random, world, server.get)
        for _ in range(QUESTIONS):
            path = "?"
            questions.ask()
    except (Wrong, ValueError) as error:
        asked = path if path == "sending" else questions.path
        return f"WRONG {asked}\n  {error}\n  of {', '.join(what)}"
    finally:
        server.delete(world.id)
    return None


def build(random, world: World, server: Server, what: list[str]) -> None:
    draw = Draw(random)
    kind = random.choice(
        ["files", "files", "files", "files", "lines", "spans", "measures", "metrics", "all"]
    )
    if kind in ("files", "all"):
        uploads = [any_file(random, draw, world) for _ in range(random.choice([1, 1, 2, 3]))]
        for name, body in uploads + random.sample(uploads, random.randrange(2)):
            what.append(name)
            report = server.upload(world.id, name, body)
            rejected = report["samples"]["rejected"]
            if rejected:
                raise ValueError(f"{name}: rejected {rejected}: {report}")
    if kind in ("lines", "all"):
        send_lines(server, world, sent_requests(random, draw, world), what)
    if kind in ("measures", "all"):
        send_lines(server, world, sent_measures(random, draw, world), what)
    if kind in ("spans", "metrics"):
        signal, bodies = (
            ("traces", spans(random, draw, world))
            if kind == "spans"
            else ("metrics", metrics(random, draw, world))
        )
        what.append(f"OTLP {signal}")
        for body in bodies:
            server.send(
                f"/v1/{signal}",
                body.encode(),
                (200,),
                {"X-Load-Test": world.id, "Content-Type": "application/json"},
            )

    if world.requests and random.random() < 0.06:
        copy(server, world, what)


def copy(server: Server, world: World, what: list[str]) -> None:
    """Goes on with the run that an exported one becomes where it is imported."""
    status, body = server.request("GET", f"/Api/LoadTests/{world.id}/Export")
    if status != 200:
        raise ValueError(f"export: status {status}: {body.decode()}")
    server.delete(world.id)
    world.id += "-copy"
    what.append("Parquet")
    server.import_here(world.id, "run.parquet", body)


def send_lines(server: Server, world: World, bodies: list[str], what: list[str]) -> None:
    what.append("line protocol")
    for body in bodies:
        server.send(f"/write?db={world.id}", body.encode(), (204,))


if __name__ == "__main__":
    sys.exit(main())
