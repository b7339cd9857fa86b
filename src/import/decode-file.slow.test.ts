import { writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { jtlPieces } from "../../bench/make-jtl.ts";
import { digestOf } from "../../test/support/sources.ts";
import { jmeterCsv } from "../decode/jmeter/jmeter-csv.ts";
import type { DataPoints } from "../model/data-points.ts";
import { mergePoints } from "../model/merge-points.ts";
import { copyOfPoints } from "../model/point-facts.ts";
import { beginningKey } from "../source/source-digest.ts";
import { decodeFile, decodePoints, type FileToDecode, type TakeBatch } from "./decode-points.ts";
import { testFolder } from "../../test/support/test-folder.ts";

const JOB = { format: jmeterCsv, options: { timeZone: "UTC" } };
const ROWS = 100_000;

const folder = testFolder();
let bytes: Uint8Array = new Uint8Array(0);

beforeAll(async () => {
  const rows = [...jtlPieces({ rows: ROWS, labels: 3000, seed: 3 }), "oops\n", "17000"];
  bytes = Buffer.from(rows.join(""));
  await writeFile(path.join(folder, "run.jtl"), bytes);
  await writeFile(path.join(folder, "bad.jtl"), "timeStamp,elapsed,success\n1,2,true\n");
});

function fileNamed(name: string, about: Partial<FileToDecode> = {}): FileToDecode {
  return {
    path: path.join(folder, name),
    sourceOptions: {},
    interrupted: new AbortController().signal,
    onRead: () => undefined,
    ...about,
  };
}

const takeNothing = async (): Promise<void> => {};

/** Collects all points and their labels. */
function gather(): { take: TakeBatch; gathered(): unknown } {
  const parts: DataPoints[] = [];
  let labels: readonly string[] = [];
  return {
    async take(measured) {
      labels = [...measured.labels];
      parts.push(copyOfPoints(measured.points));
    },
    gathered: () => ({ labels, points: mergePoints(parts) }),
  };
}

test("a file is decoded as the same bytes are", async () => {
  const [given, read] = [gather(), gather()];
  async function* whole(): AsyncGenerator<Uint8Array> {
    yield bytes;
  }
  const summary = await decodePoints(whole(), JOB, given.take);
  expect(summary).toMatchObject({ recorded: ROWS, rejected: 1 });
  const beginning = { sizeBytes: 1000, digest: digestOf(bytes.subarray(0, 1000)) };
  const other = { sizeBytes: 1001, digest: digestOf(bytes.subarray(0, 1000)) };
  const positions: number[] = [];
  const file = fileNamed("run.jtl", {
    sourceOptions: { beginnings: [other, beginning] },
    onRead: (readBytes) => void positions.push(readBytes),
  });
  const { end, ...found } = await decodeFile(file, JOB, read.take);
  expect(found).toEqual(summary);
  expect(read.gathered()).toEqual(given.gathered());
  expect(end).toMatchObject({
    sizeBytes: bytes.length,
    digest: digestOf(bytes),
    truncatedAt: undefined,
  });
  expect([...end.beginnings]).toEqual([[beginningKey(beginning), "part"]]);
  expect(positions.length).toBeGreaterThan(1);
  expect(positions).toEqual(positions.toSorted((left, right) => left - right));
});

test("a file that cannot be read or decoded is refused", async () => {
  await expect(decodeFile(fileNamed("nothing.jtl"), JOB, takeNothing)).rejects.toMatchObject({
    code: "unreadable-source",
    message: expect.stringContaining("there is no such file"),
  });
  await expect(decodeFile(fileNamed("."), JOB, takeNothing)).rejects.toMatchObject({
    code: "unreadable-source",
  });
  await expect(decodeFile(fileNamed("bad.jtl"), JOB, takeNothing)).rejects.toMatchObject({
    code: "unreadable-source",
  });
});

test("an error of the batch consumer ends decoding", async () => {
  let taken = 0;
  const take = async (): Promise<void> => {
    taken += 1;
    throw new Error("the disk is full");
  };
  await expect(decodeFile(fileNamed("run.jtl"), JOB, take)).rejects.toThrow("the disk is full");
  expect(taken).toBe(1);
});

test("decoding can be interrupted", async () => {
  const controller = new AbortController();
  const file = fileNamed("run.jtl", {
    interrupted: controller.signal,
    onRead: () => controller.abort(new Error("enough")),
  });
  await expect(decodeFile(file, JOB, takeNothing)).rejects.toThrow("enough");
});
