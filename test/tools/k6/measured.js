// Everything that a script can measure: custom metrics of each kind, checks and groups.

import http from "k6/http";
import { check, group, sleep } from "k6";
import { Counter, Gauge, Rate, Trend } from "k6/metrics";

const orders = new Counter("orders");
const depth = new Gauge("depth");
const good = new Rate("good");
const basket = new Trend("basket");
const took = new Trend("took", true);

// Named, so that the script needs no default export.
const users = {
  executor: "constant-vus",
  exec: "measured",
  vus: Number(__ENV.USERS),
  duration: __ENV.DURATION,
};

export const options = { scenarios: { users } };

export function measured() {
  group("shop", () => {
    const home = http.get(`${__ENV.TARGET}/`, { tags: { name: "home" } });
    check(home, { "status is 200": ({ status }) => status === 200 });
    took.add(home.timings.duration);
    group('details, "all"', () => {
      const page = http.get(`${__ENV.TARGET}/products`, { tags: { name: "products" } });
      check(page, { "status is 200": ({ status }) => status === 200, "never ✗": () => false });
      good.add(page.status === 200);
    });
  });
  group("pay", () => {
    const missing = http.get(`${__ENV.TARGET}/missing`, { tags: { name: "missing" } });
    check(missing, { "is missing": ({ status }) => status === 404 });
    orders.add(1 + (__ITER % 3));
    basket.add((__ITER % 17) / 4 - 1);
    depth.add(__ITER % 5);
  });
  sleep(0.02);
}
