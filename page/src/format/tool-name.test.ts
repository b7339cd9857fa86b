import { expect, test } from "vitest";
import { toolName } from "./tool-name.ts";

test.each([
  ["jmeter-csv", "JMeter"],
  ["k6-json", "k6"],
  ["gatling-binary", "Gatling"],
  ["phout", "phout"],
  ["some-format", "some-format"],
  ["constructor-x", "constructor-x"],
])("%s is a format of %s", (format, name) => {
  expect(toolName(format)).toBe(name);
});
