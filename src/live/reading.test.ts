import { expect, test } from "vitest";
import { beginReading, LAST_ID, lines, stateAt } from "../../test/support/begun-reading.ts";
import { HEADER, ROWS } from "../../test/support/follow.ts";
import { UserError } from "../model/errors.ts";

const MEBIBYTE = 1024 * 1024;
/** Rows that make `sizeBytes` bytes with the header, each under the same long label. */
function fileOf(sizeBytes: number): Buffer {
  const label = "x".repeat(1000);
  const row = `1700000000250,100,${label},true,1\n`;
  const count = Math.floor((sizeBytes - HEADER.length) / row.length) - 1;
  const rest = sizeBytes - HEADER.length - count * row.length;
  const last = `1700000000250,100,${label.padEnd(1000 + rest - row.length, "x")},true,1\n`;
  return Buffer.from(HEADER + row.repeat(count) + last);
}

const START = HEADER + ROWS.slice(0, 3).join("");

test("rows are stored one second after their first byte was read, not earlier", async () => {
  const { reading, clock, take, look } = beginReading();
  take(START.slice(0, 1));
  clock.nowMs = 500;
  take(START.slice(1));
  clock.nowMs = 999;
  await reading.appendDue();
  expect(look()).toEqual([]);
  clock.nowMs = 1000;
  await reading.appendDue();
  expect(look()).toEqual([[2 * START.length, "nothing", 3]]);
  clock.nowMs = 1100;
  take(ROWS[3] ?? "");
  await reading.appendDue();
  clock.nowMs = 2099;
  await reading.appendDue();
  expect(look()).toEqual([]);
  clock.nowMs = 2100;
  await reading.appendDue();
  const position = START.length + (ROWS[3] ?? "").length;
  expect(look()).toEqual([[2 * position, 2 * START.length, 1]]);
});

test("two mebibytes are stored at once, and counting restarts there", async () => {
  const { reading, take, look, clock } = beginReading();
  const bytes = fileOf(2 * MEBIBYTE);
  expect(bytes).toHaveLength(2 * MEBIBYTE);
  reading.take(bytes.subarray(0, -1));
  await reading.appendDue();
  expect(look()).toEqual([]);
  reading.take(bytes.subarray(-1));
  await reading.appendDue();
  expect(look()).toMatchObject([[4 * MEBIBYTE, "nothing", expect.any(Number)]]);
  take(ROWS[0] ?? "");
  await reading.appendDue();
  expect(look()).toEqual([]);
  clock.nowMs = 1000;
  await reading.appendDue();
  expect(look()).toMatchObject([[4 * MEBIBYTE + 2 * (ROWS[0] ?? "").length, 4 * MEBIBYTE, 1]]);
});

test("a large batch is stored at once, however few bytes it took", async () => {
  const { reading, take, look } = beginReading(undefined, { format: lines });
  take("\n".repeat(200_000));
  await reading.appendDue();
  expect(look()).toEqual([[400_000, "nothing", 200_000]]);
});

test.each([
  ["without an earlier state", undefined, 512 * 1024],
  ["of a file that only grew", stateAt(100), 512 * 1024],
  ["up to where a file was taken to end", stateAt(100, true), 100],
  ["up to where a file of one byte was taken to end", stateAt(1, true), 1],
  ["of a large one", stateAt(MEBIBYTE, true), 512 * 1024],
])("half a mebibyte is read at once, %s", (_, state, bytes) => {
  const { reading } = beginReading(state);
  expect(reading.bytesWanted).toBe(bytes);
  expect(reading.position).toBe(0);
  expect(reading.isPastEnd).toBe(false);
});

test("a read up to an earlier end is counted from the current position", () => {
  const { reading, take } = beginReading(stateAt(100, true));
  take("x".repeat(40));
  expect([reading.bytesWanted, reading.isPastEnd]).toEqual([60, false]);
  take("x".repeat(60));
  expect([reading.bytesWanted, reading.isPastEnd]).toEqual([512 * 1024, true]);
});

test.each([
  ["at once", [0]],
  ["byte for byte around that", [START.length - 1, START.length, START.length + 1]],
  ["in one piece to there, and one behind it", [START.length]],
  ["in one piece to the byte before, and one with the rest", [START.length - 1]],
  ["in two pieces to there", [HEADER.length, START.length]],
])("bytes that are stored are not stored again: read %s", async (_, cuts) => {
  const { reading, clock, take, look } = beginReading(stateAt(START.length));
  const text = START + ROWS.slice(4, 9).join("");
  for (const [at, from] of [0, ...cuts].entries()) take(text.slice(from, [...cuts, Infinity][at]));
  clock.nowMs = 1000;
  await reading.appendDue();
  expect(look()).toEqual([[2 * text.length, 7, 5]]);
  expect(await reading.end()).toMatchObject({
    samples: { read: 8, recorded: 8, rejected: 0 },
    endpoints: 2,
    from: 1_700_000_000,
    until: 1_700_000_002,
    alreadyImported: false,
  });
  expect(look()).toEqual([]);
});

test("stored bytes alone never make a batch due, however old or many", async () => {
  const bytes = fileOf(2.5 * MEBIBYTE);
  const { reading, clock, look } = beginReading(stateAt(3 * MEBIBYTE));
  reading.take(bytes);
  await reading.appendDue();
  clock.nowMs = 5000;
  await reading.appendDue();
  expect(look()).toEqual([]);
});

test("stored bytes do not count for the size of the first batch after them", async () => {
  const bytes = fileOf(2.5 * MEBIBYTE);
  const { reading, look } = beginReading(stateAt(1.5 * MEBIBYTE));
  reading.take(bytes);
  await reading.appendDue();
  expect(look()).toEqual([]);
});

test("a state that ends within the header is resumed", async () => {
  const { reading, take, look } = beginReading(stateAt(10));
  take(START);
  await reading.end();
  expect(look()).toEqual([[2 * START.length, 7, 3]]);
});

const UNFINISHED = "one\ntwo\nthr";

test("at the end, complete lines are stored first, then the one without a line end", async () => {
  const { reading, take, look } = beginReading(undefined, { format: lines });
  take(UNFINISHED);
  expect(await reading.end()).toMatchObject({ format: "lines", alreadyImported: false });
  expect(look()).toEqual([
    [22, "nothing", 2],
    [23, 22, 1],
  ]);
});

test("an incomplete last line is stored after a restart if the file ends there", async () => {
  const { reading, take, look } = beginReading(stateAt(11), { format: lines });
  take(UNFINISHED);
  expect(await reading.end()).toMatchObject({ alreadyImported: false });
  expect(look()).toEqual([[23, 7, 1]]);
});

test.each([
  ["that was taken to end there", stateAt(11, true)],
  ["of which more is stored", stateAt(1000)],
  ["of which more is stored, to its end", stateAt(1000, true)],
])("nothing is stored of a file %s", async (_, state) => {
  const { reading, take, look } = beginReading(state, { format: lines });
  take(UNFINISHED);
  expect(await reading.end()).toMatchObject({ alreadyImported: true });
  expect(look()).toEqual([]);
});

test("a file without rows does not count as imported already", async () => {
  const { reading, take } = beginReading();
  take(HEADER);
  expect(await reading.end()).toMatchObject({ endpoints: 0, alreadyImported: false });
});

test("only stored data can be withdrawn", async () => {
  const fresh = beginReading();
  await fresh.reading.withdraw();
  expect(fresh.withdrawn).toEqual([]);
  const known = beginReading(stateAt(4));
  await known.reading.withdraw();
  expect(known.withdrawn).toEqual([`run ${LAST_ID}`]);
});

test("a file started by another follower is rejected, naming file and load test", async () => {
  const { reading, about, take, look } = beginReading();
  about.findState = async () => stateAt(4);
  take(START);
  await expect(reading.end()).rejects.toMatchObject({
    code: "source-moved-on",
    message:
      'cannot follow "a.jtl": it is followed into load test "run" already, or was imported just now',
  });
  expect(look()).toEqual([]);
});

const BUSY = new UserError("busy", "others write");

test.each([
  [BUSY, 1],
  [new UserError("storage-full", "the disk is full"), 2],
])("%s is retried %d times, a second apart, and reported once", async (failure, times) => {
  const failures = Array.from({ length: times }, () => failure);
  const { reading, take, look, waits, warned } = beginReading(undefined, { failures });
  take(START);
  await reading.end();
  expect(look()).toEqual([[2 * START.length, "nothing", 3]]);
  expect(waits).toEqual(Array.from({ length: times }, () => 1000));
  expect(warned).toEqual([`${failure.message}: trying again`]);
});

test.each([new UserError("too-many-labels", "too many"), new Error("a bug")])(
  "%s is not retried",
  async (failure) => {
    const { reading, take, waits } = beginReading(undefined, { failures: [failure] });
    take(START);
    await expect(reading.end()).rejects.toBe(failure);
    expect(waits).toEqual([]);
  },
);

test("a follower that is asked to stop does not wait for others", async () => {
  const { reading, take, interruption } = beginReading(undefined, { failures: [BUSY] });
  take(START);
  interruption.abort();
  await expect(reading.end()).rejects.toBe(BUSY);
});
