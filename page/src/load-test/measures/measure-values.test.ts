import { expect, test } from "vitest";
import { inWords } from "../../format/changes.ts";
import { axisTextsOf, quantityOf, shownUnit } from "./measure-values.ts";

test.each([
  ["gauge", "%", 93.416, "93.4 %"],
  ["gauge", "%", 7, "7 %"],
  ["gauge", "By", 1_610_612_736, "1.61 GB"],
  ["gauge", "1", -3, "-3"],
  ["gauge", "", 12_345.6, "12,346"],
  ["distribution", "ms", 183.2, "183 ms"],
  ["distribution", "s", 2.5, "2.50 s"],
  ["distribution", "us", 900, "0.9 ms"],
  ["counter", "By", 2_000_000, "2.00 MB/s"],
  ["counter", "1", 3.4, "3.4 /s"],
  ["rate", "1", 0.985, "99 %"],
] as const)("a %s in %j: %d is %s", (kind, unit, value, text) => {
  expect(inWords(quantityOf({ kind, unit }, value))).toBe(text);
});

test("an axis has the unit of its measure", () => {
  expect(axisTextsOf({ kind: "distribution", unit: "ms" })([0, 250, 500])).toEqual([
    "0",
    "250 ms",
    "500 ms",
  ]);
  expect(axisTextsOf({ kind: "rate", unit: "1" })([0, 0.5])).toEqual(["0", "50 %"]);
  expect(axisTextsOf({ kind: "gauge", unit: "" })([0, 2e9, 4e9])).toEqual(["0", "2G", "4G"]);
  expect(axisTextsOf({ kind: "gauge", unit: "" })([0, 50_000])).toEqual(["0", "50k"]);
  expect(axisTextsOf({ kind: "gauge", unit: "%" })([0, 50])).toEqual(["0", "50 %"]);
});

test.each([
  ["cpu.usage_idle", "%"],
  ["mem.used_percent", "%"],
  ["mem.available", "By"],
  ["net.bytes_sent", "By"],
  ["node_network_receive_bytes_total", "By"],
  ["jvm.gc_pause_ms", "ms"],
  ["http_request_duration_seconds", "s"],
  ["hikaricp.pending", ""],
])("the unit of %s is %j", (name, unit) => {
  expect(shownUnit(name, "")).toBe(unit);
  expect(shownUnit(name, "1")).toBe("1");
});
