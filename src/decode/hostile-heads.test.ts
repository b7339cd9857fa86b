import { expect, test } from "vitest";
import { FORMATS } from "./formats.ts";
import { unsupportedFormat, describeContents } from "./detect.ts";

/** Four times the examined length, to make quadratic scans visible. */
const HEAD_BYTES = 256 * 1024;

test.each([
  ["", "="],
  ["{", "\n"],
  ["x", "\r\n"],
  ["{", '"endReason":'],
  ["", "a\n"],
  ["", "\\ "],
])("detection of a head that repeats %j and %j is fast", (start, more) => {
  const head = Buffer.from(start.padEnd(HEAD_BYTES, more));
  const before = process.cpuUsage();
  for (const format of FORMATS) format.recognises(head);
  unsupportedFormat(head);
  describeContents(head);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(700);
});
