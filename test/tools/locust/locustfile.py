"""What `npm run task test:tools -- locust` runs: every kind of answer that the target server has."""

import os
import time

from locust import HttpUser, events, task
from locust.contrib.csv_request_logger import CsvRequestLogger

# Locust writes its statistics once a second and not at its end: nothing may happen in the last one.
QUIET_FROM = time.time() + float(os.environ["SHOP_SECONDS"])


@events.init.add_listener
def log_requests(environment, **_):
    CsvRequestLogger("requests.csv").register(environment)


class Shopper(HttpUser):
    def wait_time(self):
        return 0.2 if time.time() < QUIET_FROM else 1000

    @task(4)
    def home(self):
        self.client.get("/")

    @task(4)
    def products(self):
        self.client.get("/products?page=1", name="list of products")

    @task(3)
    def cart(self):
        self.client.post("/cart", data="x", name='Корзина "A, B"\nline 2')

    @task(2)
    def old(self):
        self.client.get("/old")

    @task(1)
    def slow(self):
        self.client.get("/slow")

    @task(1)
    def missing(self):
        self.client.get("/missing")

    @task(1)
    def accepted(self):
        with self.client.get("/missing", name="404 is fine", catch_response=True) as response:
            response.success()

    @task(1)
    def wrong(self):
        with self.client.get("/", name="wrong body", catch_response=True) as response:
            response.failure("not what\nwas wanted")

    @task(1)
    def reset(self):
        self.client.get("/reset")
