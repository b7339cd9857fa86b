import { expect, test } from "vitest";
import { formatText, toolName, toolNames } from "./tool-name.ts";

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

test.each([
  ["jmeter-csv", "JMeter CSV"],
  ["gatling-binary", "Gatling binary"],
  ["k6-line-protocol", "k6 line protocol"],
  ["line-protocol", "line protocol"],
  ["har", "HAR"],
  ["some-format", "some-format"],
])("%s is read as %s", (format, text) => {
  expect(formatText(format)).toBe(text);
});

test("a tool is named once, however many formats it has", () => {
  expect(toolNames(["k6-csv", "jmeter-csv", "k6-line-protocol"])).toBe("k6, JMeter");
});

test("line protocol is named only if nothing else is", () => {
  expect(toolNames(["jmeter-csv", "line-protocol"])).toBe("JMeter");
  expect(toolNames(["line-protocol"])).toBe("line protocol");
});
