import { expect, test } from "vitest";
import { piecesOfLongLabels } from "../../test/support/long-labels.ts";
import { formatNamed } from "../decode/detect.ts";
import { FORMATS } from "../decode/formats.ts";
import type { MeasurementBatch } from "../model/data-points.ts";
import { BATCH_BYTES_MAX, encodeBatch } from "../wire/batch.ts";
import { BATCH_POINTS_MAX, decodePoints, DecodeRun } from "./decode-points.ts";

const PIECE_BYTES = 512 * 1024;
const ROWS = 20_000;

test("long labels are flushed before their batch is too long to send", async () => {
  const bytes = Buffer.from([...piecesOfLongLabels(ROWS)].join(""));
  const format = formatNamed("jmeter-csv", FORMATS);
  const run = new DecodeRun({ format, options: { timeZone: "UTC" } });
  const given: (MeasurementBatch | undefined)[] = [];
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    given.push(run.push(bytes.subarray(at, at + PIECE_BYTES)));
  }
  await run.end((measured) => void given.push(measured));
  const batches = given.filter((measured) => measured !== undefined);
  const longest = batches.map((measured) => {
    return encodeBatch({ sourceId: "a", visibility: "staged", sequence: 0, ...measured }).length;
  });
  expect(Math.max(...longest)).toBeLessThan(12 * 1024 * 1024);
  const points = batches.reduce((sum, measured) => sum + measured.points.second.length, 0);
  expect(points).toBe(ROWS);
});

test("points of many labels are flushed before their batch is too long to send", async () => {
  const labels = 10_000;
  const format = formatNamed("jmeter-csv", FORMATS);
  const job = { format, options: { timeZone: "UTC" }, pointsMax: BATCH_POINTS_MAX };
  const run = new DecodeRun(job);
  const given: (MeasurementBatch | undefined)[] = [];
  given.push(run.push(Buffer.from("timeStamp,elapsed,label,success\n")));
  for (let second = 1; second <= 60; second++) {
    const rows = Array.from(
      { length: labels },
      (_, label) => `${1_700_000_000 + second}000,${label},/${label},true\n`,
    );
    given.push(run.push(Buffer.from(rows.join(""))));
  }
  await run.end((measured) => void given.push(measured));
  const batches = given.filter((measured) => measured !== undefined);
  const longest = batches.map((measured) => {
    return encodeBatch({ sourceId: "a", visibility: "staged", sequence: 0, ...measured }).length;
  });
  expect(Math.max(...longest)).toBeLessThan(BATCH_BYTES_MAX);
  expect(batches.reduce((sum, { points }) => sum + points.second.length, 0)).toBe(60 * labels);
});

function jtlOf(second: number): Uint8Array {
  const row = `${1_700_000_000 + second}000,5,GET /,true\n`;
  return Buffer.from(`timeStamp,elapsed,label,success\n${row.repeat(ROWS)}`);
}

async function* broken(): AsyncGenerator<Uint8Array> {
  yield jtlOf(1);
  throw new Error("broken");
}

async function* complete(): AsyncGenerator<Uint8Array> {
  yield jtlOf(2);
}

test("a source that breaks off leaves nothing to the next one", async () => {
  const format = formatNamed("jmeter-csv", FORMATS);
  const job = { format, options: { timeZone: "UTC" } };
  const seconds: number[] = [];
  const take = async ({ points }: MeasurementBatch) => void seconds.push(...points.second);
  for (let attempt = 0; attempt < 3; attempt++) {
    await expect(decodePoints(broken(), job, take)).rejects.toThrow("broken");
  }
  await decodePoints(complete(), job, take);
  expect(seconds).toEqual([1_700_000_002]);
});
