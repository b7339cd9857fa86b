import { expect, test } from "vitest";
import { openPrometheus, prometheusBase } from "./prometheus.ts";

test.each([
  ["https://metrics.example.org", "https://metrics.example.org"],
  ["HTTPS://Metrics.example.org:443//", "https://metrics.example.org"],
  ["http://10.0.0.1:9090/prometheus//x/", "http://10.0.0.1:9090/prometheus//x"],
])("%s has one form", (text, base) => {
  expect(prometheusBase(text)).toBe(base);
});

test("an address of slashes is read in linear time", () => {
  const beganMs = performance.now();
  const address = `http://a${"/".repeat(60_000)}x`;
  expect(prometheusBase(address)).toBe(address);
  expect(performance.now() - beganMs).toBeLessThan(500);
});

const RANGE = { from: 1, until: 2, stepSeconds: 1 };

function query(members: object) {
  const body = { status: "success", data: { resultType: "matrix", result: [] }, ...members };
  const fetch = async () => Response.json(body);
  const interrupted = new AbortController().signal;
  return openPrometheus({ url: "http://127.0.0.1" }, { fetch, interrupted }).queryRange("a", RANGE);
}

// Thanos and VictoriaMetrics answer by default without the stores that are down.
test.each([
  [{ warnings: ["No store for 10.0.0.7:10901"] }, "No store for 10.0.0.7:10901"],
  [{ isPartial: true }, "isPartial"],
])("a partial answer %j is an error", async (members, reason) => {
  const message = `cannot query http://127.0.0.1: got only a part of the data: ${reason}`;
  await expect(query(members)).rejects.toThrow(message);
});

test("a remark on the query is no error", async () => {
  const warnings = ["PromQL info: metric might not be a counter"];
  expect(await query({ warnings, isPartial: false })).toEqual([]);
});
