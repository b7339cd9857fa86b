import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { jtlPieces } from "../../bench/make-jtl.ts";
import { piecesOfLongLabels } from "../../test/support/long-labels.ts";
import { jmeterCsv } from "../decode/jmeter/jmeter-csv.ts";
import type { DataPoints } from "../model/data-points.ts";
import { mergePoints } from "../model/merge-points.ts";
import { copyOfPoints } from "../model/point-facts.ts";
import { decodePointsInWorker } from "./decode-in-worker.ts";
import { type DecodePoints, decodePoints, type DecodeSummary } from "./decode-points.ts";

const JOB = { format: jmeterCsv, options: { timeZone: "UTC" } };

/** Some chunks are larger than one message to the worker. */
async function* bytesOf(pieces: Iterable<string>): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield Buffer.from(piece);
}

async function run(
  decode: DecodePoints,
  pieces: Iterable<string>,
): Promise<{ labels: readonly string[]; points: DataPoints; summary: DecodeSummary }> {
  const parts: DataPoints[] = [];
  let labels: readonly string[] = [];
  const summary = await decode(bytesOf(pieces), JOB, async ({ labels: known, points }) => {
    labels = [...known];
    parts.push(copyOfPoints(points));
  });
  return { labels, points: mergePoints(parts), summary };
}

async function* broken(): AsyncGenerator<Uint8Array> {
  yield Buffer.from("timeStamp,elapsed,label,success\n");
  throw new Error("pulled the plug");
}

test("the worker decodes the same as this thread", async () => {
  const pieces = [...jtlPieces({ rows: 90_000, seed: 3 }), "oops\n", "17000"];
  const expected = await run(decodePoints, pieces);
  expect(expected.summary).toMatchObject({ recorded: 90_000, rejected: 1 });
  expect(await run(decodePointsInWorker, pieces)).toEqual(expected);
});

test("an unreadable source is refused with the message of the decoder", async () => {
  const bytes = bytesOf(["timeStamp,elapsed,success\n1,2,true\n"]);
  await expect(decodePointsInWorker(bytes, JOB, async () => {})).rejects.toMatchObject({
    name: "UserError",
    code: "unreadable-source",
  });
});

test("an error of the batch consumer ends decoding", async () => {
  const bytes = bytesOf(jtlPieces({ rows: 200_000, labels: 2000, seed: 3 }));
  let taken = 0;
  const take = async (): Promise<void> => {
    taken += 1;
    throw new Error("the disk is full");
  };
  await expect(decodePointsInWorker(bytes, JOB, take)).rejects.toThrow("the disk is full");
  expect(taken).toBe(1);
});

test("an error of the source ends decoding", async () => {
  await expect(decodePointsInWorker(broken(), JOB, async () => {})).rejects.toThrow("the plug");
});

test("reading stops while a batch waits for the consumer", async () => {
  let read = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const piece of bytesOf(piecesOfLongLabels(41_000))) {
      read += 1;
      yield piece;
    }
  }
  const readWhenTaken: number[] = [];
  await decodePointsInWorker(counted(), JOB, async () => {
    // Enough turns to read the rest of the file.
    for (let turn = 0; turn < 1000; turn++) await setImmediate();
    readWhenTaken.push(read);
  });
  expect(readWhenTaken.length).toBeGreaterThan(3);
  expect(readWhenTaken[0]).toBeLessThan(read);
});
