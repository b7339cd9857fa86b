import { expect, test } from "vitest";
import { parseMeasureSelector, selectorText } from "./measure-selector.ts";

const is = (tag: string, value: string) => ({ tag, value, isNot: false });
const isNot = (tag: string, value: string) => ({ tag, value, isNot: true });

test.each([
  ["cpu.usage_user", { name: "cpu.usage_user", matches: [], by: [] }],
  ["cpu by host, core", { name: "cpu", matches: [], by: ["host", "core"] }],
  ["time by the sea by host", { name: "time", by: ["the sea by host"] }],
  [
    "checks{check=status is 200, group=::shop::details}",
    { name: "checks", matches: [is("check", "status is 200"), is("group", "::shop::details")] },
  ],
  [
    'a b{host!=db-1,zone=} by "my tag"',
    { name: "a b", matches: [isNot("host", "db-1"), is("zone", "")], by: ["my tag"] },
  ],
  [
    String.raw`"a {b} \"c\\"{check="body, \"long\" enough"}`,
    { name: String.raw`a {b} "c\ `.trim(), matches: [is("check", 'body, "long" enough')] },
  ],
  ["{}", { name: undefined, matches: [], by: [] }],
  [" by host", { name: undefined, by: ["host"] }],
])("%s is read", (text, wanted) => {
  const selector = parseMeasureSelector(text);
  expect(selector).toMatchObject(wanted);
  if ("at" in selector) throw new Error(selector.message);
  expect(parseMeasureSelector(selectorText(selector))).toEqual(selector);
});

test.each([
  ["cpu{", 4, "expected a tag"],
  ["cpu{host}", 8, "expected = or !="],
  ["cpu{host=a", 9, "expected , or }"],
  ["cpu{host=a} max", 12, "expected {, by or nothing more"],
  ["cpu by ", 7, "expected a tag"],
])("%s is refused", (text, at, message) => {
  expect(parseMeasureSelector(text)).toEqual({ at, message });
});

const BLANKS = " ".repeat(60_000);

test.each([`a{b${BLANKS}"`, `a{b=c${BLANKS}x`])(
  "blanks in tags and values are read in linear time (%#)",
  (text) => {
    const beganMs = performance.now();
    expect(parseMeasureSelector(text)).toHaveProperty("message");
    expect(performance.now() - beganMs).toBeLessThan(500);
  },
);
