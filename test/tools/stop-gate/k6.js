import http from "k6/http";
import { sleep } from "k6";

// Named, so that the script needs no default export.
const users = { executor: "constant-vus", exec: "home", vus: 5, duration: "10m" };

export const options = { scenarios: { users } };

export function home() {
  http.get(`${__ENV.TARGET}/`, { tags: { name: "home" } });
  sleep(0.1);
}
