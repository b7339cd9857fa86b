"""One `serve` process on loopback, and a client of it."""

import http.client
import json
import os
import pathlib
import subprocess
from urllib.parse import quote

ROOT = pathlib.Path(__file__).resolve().parents[3]
PROGRAM = ROOT / "bin" / "tachograph.js"
#: The one that `npm ci` installs.
NODE = ROOT / "node_modules" / ".bin" / "node"


class Server:
    """`keep`: a folder into which all that is sent is written, too."""

    def __init__(self, folder: str, program: str, keep: str | None = None):
        self.keep = keep and pathlib.Path(keep)
        self.sent = 0
        self.folder = folder
        self.command = command = [str(NODE), program]
        self.environment = environment = {**os.environ, "TZ": "UTC"}
        out = subprocess.run(
            [*command, "keys", "create", "--data", folder, "--name", "oracle", "--scope", "admin"],
            check=True,
            capture_output=True,
            text=True,
            env=environment,
        ).stdout
        self.key = next(word for word in out.split() if word.startswith("tgk_"))
        self.process = subprocess.Popen(
            [*command, "serve", "--data", folder, "--port", "0"],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        line = ""
        while "http://" not in line:
            line = self.process.stdout.readline()
            if line == "":
                raise SystemExit("the server has ended")
        self.port = int(line.split("http://")[1].split("/")[0].split()[0].rsplit(":", 1)[1])
        self.connection = None

    def close(self):
        self.process.terminate()
        self.process.wait(30)

    def request(
        self, method: str, path: str, body: bytes | None = None, headers: dict | None = None
    ):
        for attempt in range(2):
            if self.connection is None:
                self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
            try:
                self.connection.request(
                    method, path, body, {"X-Service-Auth": self.key, **(headers or {})}
                )
                response = self.connection.getresponse()
                return response.status, response.read()
            except (http.client.HTTPException, ConnectionError):
                # The server ends connections that were idle, or had many requests.
                self.connection = None
                if attempt == 1:
                    raise
        raise AssertionError

    def get(self, path: str, is_json=True):
        status, body = self.request("GET", path)
        if status != 200:
            raise ValueError(f"status {status}: {body.decode()}")
        return json.loads(body) if is_json else body.decode()

    def send(self, path: str, body: bytes, wanted: tuple[int, ...], headers: dict | None = None):
        if self.keep:
            self.sent += 1
            (self.keep / f"{self.sent:04d}-{path.split('?')[0].split('/')[-1]}").write_bytes(body)
        status, answer = self.request("POST", path, body, headers)
        if status not in wanted:
            raise ValueError(f"{path}: status {status}: {answer.decode()}")
        return json.loads(answer) if answer else None

    def upload(self, run: str, name: str, body: bytes):
        path = f"/Api/LoadTests/{run}/Results?file={quote(name)}&timezone=UTC"
        return self.send(path, body, (200, 201))

    def import_here(self, run: str, name: str, body: bytes):
        """Imports with the command line, which sends data points."""
        file = pathlib.Path(self.folder) / name
        file.write_bytes(body)
        url = f"http://127.0.0.1:{self.port}"
        words = ["import", "--url", url, "--id", run, str(file)]
        done = subprocess.run(
            [*self.command, *words],
            capture_output=True,
            text=True,
            env={**self.environment, "TACHOGRAPH_KEY": self.key},
        )
        if done.returncode != 0:
            raise ValueError(f"import: {done.stderr}")

    def delete(self, run: str):
        self.request("DELETE", f"/Api/LoadTests/{run}")
