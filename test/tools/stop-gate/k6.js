import http from "k6/http";
import { sleep } from "k6";

export const options = { vus: 5, duration: "10m" };

export default function () {
  http.get(`${__ENV.TARGET}/`, { tags: { name: "home" } });
  sleep(0.1);
}
