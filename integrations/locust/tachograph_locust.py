"""
Sends every request of Locust to Tachograph, exactly once. See docs/tools/locust.md.

    export TACHOGRAPH_URL=https://results.example.org TACHOGRAPH_KEY=tgk_... TACHOGRAPH_ID=release-42
    locust -f locustfile.py,tachograph_locust.py --headless -u 10 -t 60s

A request is in a file of the folder TACHOGRAPH_SPOOL (tachograph-spool) before its user goes on, so that a
killed Locust loses none that it has finished. Some failed ones have their headers and bodies, from which the server
removes secrets, unless TACHOGRAPH_SAMPLES=false. Only the standard library is needed.
"""

import gzip
import http.client
import logging
import os
import re
import socket
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from pathlib import Path

from gevent import getcurrent
from locust import User, events

try:
    import fcntl
except ImportError:  # Windows: files of processes that ended stay
    fcntl = None

log = logging.getLogger(__name__)

FILE_BYTES_MAX = 1_000_000
INTERVAL_SECONDS = 1.0
TIMEOUT_SECONDS = 30
#: What cannot be sent in this time stays for the next run.
FINISH_SECONDS = 30
ANSWER_BYTES_MAX = 1000
#: The server keeps 500 characters of a message, and shortens labels of more than 1,024 bytes.
CHARACTERS_MAX = 1100
#: Of headers and bodies: a little more than the server keeps, so that it sees what was cut.
TEXT_CHARACTERS_MAX = 4200
#: Failures of one name and status with headers and bodies, and their characters, in a file.
SAMPLES_OF_KIND_MAX = 6
SAMPLES_CHARACTERS_MAX = 250_000


def quoted(text, characters_max=CHARACTERS_MAX):
    """Line feeds are escaped: the text comes from the system under test, and what follows one could be read as a point."""
    escaped = text[:characters_max].replace("\\", "\\\\").replace('"', '\\"')
    return '"' + escaped.replace("\n", "\\n").replace("\r", "\\r") + '"'


def locked(path, wait=False):
    """An open and locked file; None if another process has it. The lock ends with the process."""
    file = open(path, "w")
    try:
        if fcntl:
            fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        return file
    except BlockingIOError:
        file.close()
        return None


class Spool:
    """
    Files of lines that wait to be sent, in a folder of this process. A file is sent only when it is closed, and
    then never changes: the server recognises its bytes if they are sent again. Files of processes that ended are
    taken over.
    """

    def __init__(self, shared):
        self.folder = shared / uuid.uuid4().hex
        # Headers have their secrets until the server removes them.
        self.folder.mkdir(parents=True, mode=0o700)
        self._file = None
        self._bytes = 0
        self._number = 0
        # One at a time: a folder that is not locked yet must not be taken over.
        with locked(shared / "lock", wait=True):
            self._lock = locked(self.folder / "lock")
            for other in shared.glob("*/lock") if fcntl else []:
                if other.parent != self.folder:
                    self._take_over(other)

    @property
    def number(self):
        """Another one for each file."""
        return self._number

    def append(self, line):
        """The line is in the file when it returns."""
        data = line.encode("utf-8", "replace")
        if self._file is None:
            self._start()
        self._file.write(data)
        self._bytes += len(data)
        if self._bytes >= FILE_BYTES_MAX:
            self._close()

    def closed(self):
        """Closes the open file. Returns all closed ones, the oldest first."""
        if self._file is not None:
            self._close()
        return sorted(self.folder.glob("*.lines"))

    def release(self):
        """Removes the folder if nothing is left in it."""
        self._lock.close()
        remove(self.folder)

    def _start(self):
        # The name stands in the file, so that no two files are equal.
        name = f"{self.folder.name}-{self._number:09}"
        self._number += 1
        self._file = open(self.folder / f"{name}.open", "wb", buffering=0)
        self._bytes = self._file.write(f"# {name}\n".encode())

    def _close(self):
        file, self._file = self._file, None
        file.close()
        os.rename(file.name, file.name.removesuffix(".open") + ".lines")

    def _take_over(self, lock):
        held = locked(lock)
        if held is None:
            return
        with held:
            for file in [*lock.parent.glob("*.open"), *lock.parent.glob("*.lines")]:
                os.rename(file, self.folder / f"{file.stem}.lines")
            remove(lock.parent)


def remove(folder):
    """Removes the folder of a process, unless files are left: those that the server refused, or did not get."""
    if len(list(folder.iterdir())) == 1:
        (folder / "lock").unlink()
        folder.rmdir()


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect is an error: it would take the key elsewhere, and drop the body."""

    def redirect_request(self, *_):
        return None


class Sender:
    """Sends closed files one after the other, each until the server has answered."""

    def __init__(self, url, load_test, key):
        url = url.rstrip("/")
        self.url = url
        self._key = key
        self._address = f"{url}/write?precision=us&db={urllib.parse.quote(load_test, safe='')}"
        name = re.sub("^https?://", "", url) + "_" + load_test
        root = Path(os.environ.get("TACHOGRAPH_SPOOL", "tachograph-spool"))
        self.spool = Spool(root / re.sub("[^A-Za-z0-9._-]", "_", name))
        self._complaint = None
        self._opener = urllib.request.build_opener(NoRedirects)
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def finish(self):
        """Sends the rest."""
        self._ending.set()
        self._thread.join(FINISH_SECONDS)
        left = len(self.spool.closed())
        if left:
            log.error(
                "%d files were not sent and stay in %s: the next run to this load test sends them",
                left,
                self.spool.folder,
            )
        if not self._thread.is_alive():
            self.spool.release()

    def _run(self):
        while True:
            is_last = self._ending.is_set()
            if self._send_all() and is_last:
                return
            if is_last:
                time.sleep(INTERVAL_SECONDS)
            else:
                self._ending.wait(INTERVAL_SECONDS)

    def _send_all(self):
        try:
            return all(self._send(file) for file in self.spool.closed())
        except (OSError, http.client.HTTPException) as error:
            self._complain(f"cannot send to {self.url}, trying again: {error}")
            return False

    def _send(self, file):
        """Returns whether the file is done."""
        headers = {"Content-Encoding": "gzip", "Content-Type": "text/plain; charset=utf-8"}
        if self._key:
            headers["X-Service-Auth"] = self._key
        body = gzip.compress(file.read_bytes())
        try:
            request = urllib.request.Request(self._address, data=body, headers=headers)
            with self._opener.open(request, timeout=TIMEOUT_SECONDS) as response:
                if response.status != 204:
                    self._complain_of(response)
                    return False
        except urllib.error.HTTPError as error:
            if error.code not in (400, 422):
                self._complain_of(error)
                return False
            answer = beginning_of(error)
            # It will never be accepted. What could be read is stored.
            refused = file.rename(f"{file}.refused")
            log.error("the server refused lines of %s: %s", refused, answer)
            return True
        file.unlink()
        self._complaint = None
        return True

    def _complain_of(self, response):
        target = response.headers["Location"]
        what = f"{response.status} with a redirect to {target}" if target else response.status
        self._complain(f"{self.url} answered {what}, trying again: {beginning_of(response)}")

    def _complain(self, text):
        if text != self._complaint:
            log.warning(text)
        self._complaint = text


def beginning_of(response):
    return response.read(ANSWER_BYTES_MAX).decode("utf-8", "replace")


def user_class():
    """The class of the user that is running, also in greenlets that it has spawned; empty if there is none."""
    running = getcurrent()
    while running is not None:
        for user in getattr(running, "args", ())[:1]:
            if isinstance(user, User):
                return type(user).__name__
        spawned_by = getattr(running, "spawning_greenlet", None)
        running = spawned_by and spawned_by()
    return ""


def header_lines(headers):
    return "\n".join(f"{name}: {value}" for name, value in headers.items())


def plain(body):
    return body.decode("utf-8", "replace") if isinstance(body, bytes) else str(body or "")


def texts_of(response):
    """What was sent and received, as far as the client says: requests, and clients that are like it."""
    sent = getattr(response, "request", None)
    # A response that is streamed is read by its user.
    is_read = getattr(response, "_content_consumed", True)
    texts = {
        "method": getattr(sent, "method", None),
        # Locust puts the name of a request into the URL of its response.
        "url": getattr(sent, "url", None) or getattr(response, "url", None),
        "requestHeaders": header_lines(getattr(sent, "headers", None) or {}),
        "requestBody": plain(getattr(sent, "body", None)),
        "responseHeaders": header_lines(getattr(response, "headers", None) or {}),
        "responseBody": plain(getattr(response, "text", None)) if is_read else "",
    }
    return {name: str(text)[:TEXT_CHARACTERS_MAX] for name, text in texts.items() if text}


class Samples:
    """Headers and bodies of some failed requests of each file of the spool, so that many failures do not add up."""

    def __init__(self, spool):
        self._spool = spool
        self._number = None
        self._kinds = {}
        self._characters = 0

    def fields_of(self, kind, response):
        if self._number != self._spool.number:
            self._number = self._spool.number
            self._kinds, self._characters = {}, 0
        number = self._kinds.get(kind, 0)
        if response is None or number >= SAMPLES_OF_KIND_MAX or self._characters >= SAMPLES_CHARACTERS_MAX:
            return []
        self._kinds[kind] = number + 1
        try:
            texts = texts_of(response)
        except Exception as error:  # Any client may be behind it, and its requests count without.
            log.debug("cannot read a failed response: %r", error)
            return []
        self._characters += sum(map(len, texts.values()))
        return [f"{name}={quoted(text, TEXT_CHARACTERS_MAX)}" for name, text in texts.items()]


class Requests:
    """Writes a line for each request."""

    def __init__(self, environment, sender):
        self._environment = environment
        self._sender = sender
        client = getattr(environment.runner, "client_id", None) or socket.gethostname()
        # The id of a process is another in each run.
        self._hostname = quoted(socket.gethostname())
        self._generator = re.sub(r"[,= \s\\]", "_", client)
        self._lost = 0
        is_off = os.environ.get("TACHOGRAPH_SAMPLES", "true").lower() in ("", "0", "false", "no", "off")
        self._samples = None if is_off else Samples(sender.spool)
        environment.events.request.add_listener(self.take)
        # Locust stops its users after `quitting`; old versions have no other event.
        ending = getattr(environment.events, "quit", environment.events.quitting)
        ending.add_listener(self.finish)
        if hasattr(environment.events, "usage_monitor"):
            environment.events.usage_monitor.add_listener(self.take_usage)

    def take(
        self,
        request_type,
        name,
        response_time,
        response_length,
        exception=None,
        response=None,
        start_time=None,
        **_,
    ):
        at = time.time() if start_time is None else start_time
        fields = [
            f"label={quoted(' '.join(filter(None, (request_type, name))))}",
            # To the digits of Locust's own request log.
            f"elapsedMs={response_time or 0:.2f}",
            f"success={'true' if exception is None else 'false'}",
            f"receivedBytes={int(response_length or 0)}i",
            f"users={self._environment.runner.user_count}i",
            f"userClass={quoted(user_class())}",
            f"hostname={self._hostname}",
        ]
        if exception is not None:
            status = getattr(response, "status_code", 0)
            fields.append(f"code={quoted(str(status or ''))}")
            fields.append(f"message={quoted(str(exception))}")
            if self._samples:
                fields += self._samples.fields_of((name, status), response)
        self._write(f"tachograph,generator={self._generator} {','.join(fields)} {round(at * 1e6)}\n")

    def take_usage(self, cpu_usage, **_):
        """The CPU of this process in percent of one core, every ten seconds: Locust uses one."""
        tags = f"process={self._generator},role=generator"
        self._write(f"locust,{tags} cpu_percent={cpu_usage} {round(time.time() * 1e6)}\n")

    def _write(self, line):
        try:
            self._sender.spool.append(line)
        except OSError as error:
            if not self._lost:
                log.error("cannot write requests to %s: they are lost: %s", self._sender.spool.folder, error)
            self._lost += 1

    def finish(self, **_):
        self._sender.finish()
        if self._lost:
            log.error("%d requests are lost: they could not be written to the spool", self._lost)


@events.init.add_listener
def start(environment, **_):
    load_test = os.environ.get("TACHOGRAPH_ID")
    if not load_test:
        raise SystemExit("Tachograph: TACHOGRAPH_ID is missing: set it to the id of the load test")
    url = os.environ.get("TACHOGRAPH_URL", "http://127.0.0.1:8013")
    Requests(environment, Sender(url, load_test, os.environ.get("TACHOGRAPH_KEY", "")))
