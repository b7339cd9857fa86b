/** Files that change while they are read: the digest must match the decoded bytes. */

import { randomBytes } from "node:crypto";
import { appendFileSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { piecesOfLongLabels } from "../../test/support/long-labels.ts";
import { digestOf } from "../../test/support/sources.ts";
import { jmeterCsv } from "../decode/jmeter/jmeter-csv.ts";
import { readFile } from "../source/read-file.ts";
import { type DecodedFile, decodeFile } from "./decode-points.ts";
import { testFolder } from "../../test/support/test-folder.ts";

const JOB = { format: jmeterCsv, options: { timeZone: "UTC" } };
/** 37 MB, so that reading waits for the first points long before the end. */
const ROWS = 40_000;
const WHOLE = Buffer.from([...piecesOfLongLabels(ROWS)].join(""));
const ADDED = Buffer.from("1700000000000,5,/added,true,1\n".repeat(100));

const folder = testFolder();
let file = "";

beforeAll(async () => {
  file = path.join(folder, "run.jtl");
});
beforeEach(() => writeFileSync(file, WHOLE));
/** Decodes the file and changes it when the first points arrive. */
async function decodeWhile(change: () => void): Promise<DecodedFile> {
  let isChanged = false;
  const about = { sourceOptions: {}, interrupted: new AbortController().signal };
  return decodeFile({ path: file, ...about, onRead: () => undefined }, JOB, async () => {
    if (!isChanged) change();
    isChanged = true;
  });
}

test("reads a truncated file to its new end and reports the incomplete row", async () => {
  // Inside a row, in the last third.
  const cutAt = 30_000_000;
  const { end, recorded, rejected, truncatedAt } = await decodeWhile(() =>
    truncateSync(file, cutAt),
  );
  const read = WHOLE.subarray(0, cutAt);
  expect(end).toMatchObject({ sizeBytes: cutAt, digest: digestOf(read) });
  expect({ recorded, rejected }).toEqual({ recorded: linesIn(read) - 1, rejected: 0 });
  expect(truncatedAt?.byte).toBe(read.lastIndexOf("\n") + 1);
});

test("stops where it is when the file is emptied", async () => {
  const { end, recorded, rejected } = await decodeWhile(() => truncateSync(file, 0));
  expect(end.sizeBytes).toBeLessThan(WHOLE.length);
  const read = WHOLE.subarray(0, end.sizeBytes);
  expect(end.digest).toBe(digestOf(read));
  expect({ recorded, rejected }).toEqual({ recorded: linesIn(read) - 1, rejected: 0 });
});

test("also reads rows appended meanwhile", async () => {
  const { end, recorded } = await decodeWhile(() => appendFileSync(file, ADDED));
  const read = Buffer.concat([WHOLE, ADDED]);
  expect(end).toMatchObject({ sizeBytes: read.length, digest: digestOf(read) });
  expect(recorded).toBe(ROWS + linesIn(ADDED));
});

test("keeps reading the opened file when another one takes its name", async () => {
  const { end, recorded } = await decodeWhile(() => {
    const other = path.join(folder, "other.jtl");
    writeFileSync(other, ADDED);
    renameSync(other, file);
  });
  expect(end).toMatchObject({ sizeBytes: WHOLE.length, digest: digestOf(WHOLE) });
  expect(recorded).toBe(ROWS);
});

test("refuses a compressed file that takes its name before it is opened", async () => {
  writeFileSync(file, gzipSync(randomBytes(WHOLE.length), { level: 0 }));
  await expect(decodeWhile(() => undefined)).rejects.toMatchObject({
    code: "unreadable-source",
    message: expect.stringContaining("a compressed file has taken its place"),
  });
});

test("reads the next file after one that was read, refused or interrupted", async () => {
  const whole = { sizeBytes: WHOLE.length, digest: digestOf(WHOLE) };
  const first = await decodeWhile(() => undefined);
  const second = await decodeWhile(() => undefined);
  const interrupted = decodeWhile(() => {
    throw new Error("the disk is full");
  });
  await expect(interrupted).rejects.toThrow("the disk is full");
  const { chunks } = readFile(file, [], () => undefined);
  rmSync(file);
  await expect(chunks[Symbol.asyncIterator]().next()).rejects.toMatchObject({
    code: "unreadable-source",
    message: expect.stringContaining("there is no such file"),
  });
  writeFileSync(file, WHOLE);
  const last = await decodeWhile(() => undefined);
  for (const { end, recorded } of [first, second, last]) {
    expect({ end, recorded }).toMatchObject({ end: whole, recorded: ROWS });
  }
});

function linesIn(text: Buffer): number {
  return text.toString("latin1").split("\n").length - 1;
}
