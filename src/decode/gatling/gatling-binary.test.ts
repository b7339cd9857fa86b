import { expect, test } from "vitest";
import { type Decoded, decodeSource } from "../../../test/support/decode-source.ts";
import { BinaryLog, type GatlingRequest, RUN_START_MS } from "../../../test/support/gatling-log.ts";
import { gatlingBinary } from "./gatling-binary.ts";

const HOME: GatlingRequest = {
  groups: [],
  name: "Home",
  startMs: 917,
  elapsedMs: 45,
  failure: undefined,
};

function decode(whole: BinaryLog): Decoded {
  return decodeSource(gatlingBinary, whole.bytes());
}

function log(): BinaryLog {
  return new BinaryLog().runRecord();
}

test("a log has requests at their start, failures with their message, and users", () => {
  const cart = { ...HOME, groups: ["Checkout, flow", "Inner «группа»"], name: "tab\tand\nnewline" };
  const { samples, failures, users, rejections, truncatedAt, notes } = decode(
    log()
      .user(true, 916)
      .requests([HOME, { ...cart, startMs: 916, failure: "never\n\tthis" }])
      .group(["Checkout, flow"])
      .error("crash: No attribute named 'nope' is defined ")
      .user(false, 1917),
  );
  const label = "Checkout, flow / Inner «группа» / tab\tand\nnewline";
  // The run started at …786.083.
  const rest = { elapsedMicros: 45_000, receivedBytes: 0, requests: 1 };
  expect(samples).toEqual([
    { label: "Home", second: 1_795_232_787, ...rest, failedRequests: 0 },
    { label, second: 1_795_232_786, ...rest, failedRequests: 1 },
  ]);
  expect(failures).toEqual([
    { label, second: 1_795_232_786, kind: { code: "", message: "never\n\tthis" }, requests: 1 },
  ]);
  expect(users).toEqual([
    { generator: "", second: 1_795_232_786, started: 1, ended: 0 },
    { generator: "", second: 1_795_232_788, started: 0, ended: 1 },
  ]);
  expect({ rejections, truncatedAt }).toEqual({ rejections: [], truncatedAt: undefined });
  expect(notes).toEqual([
    "Gatling does not record response sizes: they are unknown",
    "errors without a request (ERROR records), not counted as requests: 1",
  ]);
});

test("a record of 16 MB in small pieces is read a few times, not with each", () => {
  const groups = Array.from({ length: 15_000 }, (_, at) => `${at}`.padEnd(1050, "x"));
  const bytes = log().group(groups).requests([HOME]).bytes();
  const timed = (sizes: readonly number[]): number => {
    const beganMs = performance.now();
    const { samples, truncatedAt } = decodeSource(gatlingBinary, bytes, sizes);
    expect([samples.length, truncatedAt]).toEqual([1, undefined]);
    return performance.now() - beganMs;
  };
  // 240 pieces, which are half of the record on average.
  expect(timed([65_536])).toBeLessThan(12 * timed([]) + 500);
});

// Bytes as defined in docs/internals/formats/gatling.md.
test.each([
  ["an unknown kind of record", [9], /^unknown kind of record: got 9, want 1 to 4; the 1 bytes/],
  ["a hole of zeros", [0, 0, 0, 0], /^a second run or a block of zeros begins; the 4 bytes/],
  [
    "a text that is not known",
    [4, 0xff, 0xff, 0xff, 0xfe],
    /^invalid string index: got -2, want 2 or/,
  ],
  ["a text out of its turn", [4, 0, 0, 0, 3], /^invalid string index: got 3/],
  ["the text number 0", [4, 0, 0, 0, 0], /^invalid string index: got 0/],
  [
    "a text of a negative length",
    [4, 0, 0, 0, 2, 0xff, 0, 0, 0],
    /^invalid length: got -16777216 bytes/,
  ],
  ["a text of 2 GB", [4, 0, 0, 0, 2, 0x7f, 0, 0, 0], /^invalid length: got 2130706432 bytes/],
  [
    "a text in no known coder",
    [4, 0, 0, 0, 2, 0, 0, 0, 1, 65, 2],
    /^unknown string encoding: got 2/,
  ],
  ["a truth value of 2", [2, 0, 0, 0, 0, 2, 0, 0, 0, 0], /^not a boolean: got 2/],
  ["too many groups", [1, 0, 1, 0x86, 0xa1], /^invalid number of fields: got 100001/],
  ["a negative number of groups", [3, 0x80, 0, 0, 0], /^invalid number of fields: got -2147483648/],
])("reading stops at %s, and everything before it is read", (_what, bytes, reason) => {
  const whole = log().error("crash").requests([]);
  const byte = whole.bytes().length;
  const { truncatedAt, samples, rejections } = decode(whole.raw(Uint8Array.from(bytes)));
  expect({ samples, rejections }).toEqual({ samples: [], rejections: [] });
  expect(truncatedAt).toEqual({ line: 3, byte, reason: expect.stringMatching(reason) as string });
  // All bytes after the cut are counted.
  const long = decodeSource(gatlingBinary, whole.raw(new Uint8Array(100_000)).bytes(), [1000]);
  expect(long.truncatedAt?.reason).toContain(
    `; the ${bytes.length + 100_000} bytes from here on cannot`,
  );
});

test("the cut is reported for a log that ends inside a record", () => {
  const bytes = log().requests([HOME]).bytes();
  const byte = log().bytes().length;
  const { samples, truncatedAt } = decodeSource(gatlingBinary, bytes.subarray(0, -1));
  expect(samples).toEqual([]);
  expect(truncatedAt).toEqual({ line: 2, byte, reason: "the source ends inside a record" });
});

const TOO_LONG = "the label is too long";
test.each([
  [
    "before its start",
    { elapsedMs: -1 },
    "time-unknown",
    `the end is before the start: got ${RUN_START_MS + 916} and`,
  ],
  ["with too long a name", { name: "a".repeat(1025) }, "label-shortened", TOO_LONG],
  ["with too long a name in UTF-16", { name: "商".repeat(342) }, "label-shortened", TOO_LONG],
  ["with far too long a name", { name: "a".repeat(2_000_000) }, "label-shortened", TOO_LONG],
  [
    "with too many names",
    { groups: ["a".repeat(500), "b".repeat(517)], name: "cd" },
    "label-shortened",
    TOO_LONG,
  ],
])("a request %s is counted, and the next one is read", (_what, change, kind, reason) => {
  const whole = log().requests([{ ...HOME, ...change }, HOME]);
  const decoded = decodeSource(gatlingBinary, whole.bytes(), [60_000]);
  const { samples, windows, rejections, repairs } = decoded;
  expect([samples.length + windows.length, rejections]).toEqual([2, []]);
  const byte = log().bytes().length;
  const start = expect.stringContaining(reason) as string;
  expect(repairs).toEqual([{ kind, line: 2, byte, reason: start }]);
});

test("names that are too long stay different", () => {
  const names = ["x", "y", "x"].map((end) => "a".repeat(5000) + end);
  const { samples } = decode(log().requests(names.map((name) => ({ ...HOME, name }))));
  expect(new Set(samples.map(({ label }) => label)).size).toBe(2);
  expect(samples.map(({ label }) => Buffer.byteLength(label ?? ""))).toEqual([1024, 1024, 1024]);
});

test("a long message is truncated", () => {
  const failure = `found ${"商".repeat(100_000)}`;
  const { failures } = decode(log().requests([{ ...HOME, failure }]));
  const message = `found ${"商".repeat(493)}…`;
  expect(failures).toMatchObject([{ kind: { code: "", message } }]);
});

test("text over the limit leaves failures without a name and requests unread", () => {
  // Up to 1,025 characters of each message are kept; 16,384 of them exceed 16 Mi.
  const many = log().requests([{ ...HOME, name: "Cart" }]);
  for (let message = 0; message < 16_384; message++) {
    many.requests([{ ...HOME, failure: `${message}`.padEnd(1025, "x") }]);
  }
  many.requests([
    { ...HOME, name: "Cart", failure: "y".repeat(1025) },
    { ...HOME, name: "z".repeat(1024) },
    { ...HOME, name: "Cart" },
  ]);
  const { samples, failures, rejections } = decode(many);
  expect(samples).toHaveLength(1 + 16_384 + 2);
  expect(failures.at(-1)).toMatchObject({ label: "Cart", kind: { code: "", message: "(other)" } });
  const reason = "its name is unknown: the log has too many different strings";
  expect(rejections).toMatchObject([{ line: 16_388, reason }]);
});

test("a log with an invalid beginning is refused", () => {
  const bytes = log().bytes();
  const damaged = Buffer.from(bytes);
  damaged[1 + 4 + 6] = 7;
  expect(() => decodeSource(gatlingBinary, damaged)).toThrow(
    "cannot read the beginning of Gatling's log: unknown string encoding: got 7, want 0 or 1",
  );
});

test.each([
  [[0, 0, 0, 0, 6, 0x33, 0x2e, 0x31], true],
  [[0, 0, 0, 0, 6, 0x33, 0x2e], true],
  [[0, 0, 0, 0, 6, 0x33], false],
  [[1, 0, 0, 0, 6, 0x33, 0x2e, 0x31], false],
  [[0, 0, 0, 1, 6, 0x33, 0x2e, 0x31], false],
  [[0, 0, 0, 0, 4, 0x33, 0x2e, 0x31], false],
  [[0, 0, 0, 0, 6, 0x32, 0x2e, 0x31], false],
  [[], false],
])("%j is the beginning of a binary Gatling log: %s", (bytes, isLog) => {
  expect(gatlingBinary.recognises(Uint8Array.from(bytes))).toBe(isLog);
});
