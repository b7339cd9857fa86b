import { expect, test } from "vitest";
import { prometheusBase } from "./prometheus.ts";

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
