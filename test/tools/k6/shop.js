// A shop for k6: users who look around, and one request for every kind of failure.

import http from "k6/http";
import { sleep } from "k6";

const names = JSON.parse(__ENV.NAMES);
const target = __ENV.TARGET;

// Thresholds that always hold: they put each request into the summary.
const thresholds = {};
for (const ep of names.keys()) {
  thresholds[`http_reqs{ep:${ep}}`] = ["count>=0"];
  thresholds[`http_req_failed{ep:${ep}}`] = ["rate>=0"];
  thresholds[`http_req_duration{ep:${ep}}`] = ["max>=0"];
}

// Named, so that the script needs no default export.
const users = {
  executor: "constant-vus",
  exec: "shop",
  vus: Number(__ENV.USERS),
  duration: __ENV.DURATION,
};

export const options = { thresholds, scenarios: { users } };

const named = (ep, more) => ({ tags: { name: names[ep], ep: `${ep}` }, ...more });

export function shop() {
  http.get(`${target}/`, named(0));
  sleep(0.05);
  http.get(`${target}/products`, named(1));
  sleep(0.05);
  http.post(`${target}/cart`, "x", named(2));
  sleep(0.05);
  http.get(`${target}/old`, named(3));
  http.get(`${target}/missing`, named(4));
  sleep(0.05);
  http.get(`${target}/reset`, named(5));
  http.get(`${target}/slow`, named(6, { timeout: "300ms" }));
  http.get(`${target}/?x=1`, named(7));
  sleep(0.3);
  http.get(`${target}/?x=2`, named(8));
}
