"""
Runs the plugin without Locust. Arguments: URL of the server, folder of the spool, failure message of the one request, and
how many further ones fail with an answer.
Prints the log, then the files that are left.
"""

import logging
import os
import sys
import types
from pathlib import Path

url, spool, message, *answered = sys.argv[1:]
logging.basicConfig(stream=sys.stdout, format="%(levelname)s %(message)s")


class Hook:
    def __init__(self):
        self.listeners = []

    def add_listener(self, listener):
        self.listeners.append(listener)
        return listener

    def fire(self):
        for listener in self.listeners:
            listener()


class Shopper:
    """A user in whose greenlet, or one that it has spawned, all requests are made."""


gevent = types.ModuleType("gevent")
started = types.SimpleNamespace(args=(Shopper(),), spawning_greenlet=None)
gevent.getcurrent = lambda: types.SimpleNamespace(args=(1,), spawning_greenlet=lambda: started)
sys.modules["gevent"] = gevent
locust = types.ModuleType("locust")
locust.User = Shopper
locust.events = types.SimpleNamespace(init=Hook(), request=Hook(), quitting=Hook(), quit=Hook())
sys.modules["locust"] = locust
os.environ["TACHOGRAPH_SPOOL"] = spool
import tachograph_locust as plugin  # noqa: E402

plugin.FINISH_SECONDS = 3

runner = types.SimpleNamespace(client_id="a", user_count=1)
sender = plugin.Sender(url, "run", "tgk_x")
requests = plugin.Requests(types.SimpleNamespace(runner=runner, events=locust.events), sender)
requests.take("GET", "/pay", 12.5, 7, exception=Exception(message), start_time=1700000000.25)
sent = types.SimpleNamespace(
    method="POST", url="http://a/pay", headers={"Accept": "*/*"}, body=b"n=\xff" + b"x" * 5000
)
answer = types.SimpleNamespace(
    status_code=503, request=sent, url="/pay", headers={"A": "b"}, text='say "no"\nagain'
)
# Locust stops its users after this event.
locust.events.quitting.fire()
for number in range(int(answered[0]) if answered else 0):
    requests.take("POST", "/pay", 1, 7, exception=Exception("x"), response=answer, start_time=1700000001 + number)
locust.events.quit.fire()
for file in sorted(Path(spool).rglob("*")):
    if file.is_file() and file.name != "lock":
        print("left", file.suffix)
