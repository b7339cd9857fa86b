import { expect, test } from "vitest";
import { piecesOfLongLabels } from "../../test/support/long-labels.ts";
import { formatNamed } from "../decode/detect.ts";
import { FORMATS } from "../decode/formats.ts";
import type { MeasurementBatch } from "../model/data-points.ts";
import { encodeBatch } from "../wire/batch.ts";
import { DecodeRun } from "./decode-points.ts";

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
