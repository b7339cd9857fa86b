"""What `npm run task test:stop` runs: users that ask again 0.1 s after each answer."""

from locust import HttpUser, constant, events, task
from locust.contrib.csv_request_logger import CsvRequestLogger


@events.init.add_listener
def log_requests(environment, **_):
    CsvRequestLogger("requests.csv").register(environment)


class Shopper(HttpUser):
    wait_time = constant(0.1)

    @task
    def home(self):
        self.client.get("/")
