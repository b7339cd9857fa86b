import { expect, test } from "vitest";
import { batchOf, sample } from "../../../../test/support/batches.ts";
import { active, failure } from "../../../../test/support/details.ts";
import { failureTable, userTable } from "../../../../test/support/plain-details.ts";
import { contentsOf } from "./contents.ts";
import { decodeNative } from "../native/native-reader.ts";
import { type BatchRows, encodeBatches, encodeEvents } from "./rows.ts";
import { sourceNumber } from "../catalogue/sources.ts";

const SHARD_KEY = { loadTestId: "run", incarnation: 3, shard: 0, testDay: 20_000 };
const KINDS = ["source", "batch", "label", "point"];

function rowsOf(contents: BatchRows["contents"], about: Partial<BatchRows> = {}): BatchRows {
  return {
    shardKey: SHARD_KEY,
    source: sourceNumber("sender", 0),
    sequence: 7,
    follows: 0,
    note: { sourceId: "sender", generation: 0, isLive: true, format: "k6-lines" },
    contents,
    newLabels: contents.labels,
    storedAtMs: 99,
    writer: 3n,
    isClaimed: true,
    ...about,
  };
}

function tableIn(parts: readonly Uint8Array[]) {
  const [block, ...others] = decodeNative(Buffer.concat(parts));
  if (block === undefined || others.length > 0) throw new Error("expected one block");
  const kinds = Array.from(block.numbers("kind"), (kind) => KINDS[kind]);
  const [codes, counts] = [block.stringArrays("failures.code"), block.arrays("failures.requests")];
  const rows = kinds.map((kind, row) => ({
    kind,
    hash: block.fixedStrings("endpoint_hash")[row]?.slice(0, 4),
    second: block.numbers("second")[row],
    requests: block.numbers("requests")[row],
    failures: Array.from(
      { length: (codes.from[row + 1] ?? 0) - (codes.from[row] ?? 0) },
      (_, at) => {
        const entry = (codes.from[row] ?? 0) + at;
        return [codes.values[entry], counts.values[entry]];
      },
    ),
    text: block.strings("text")[row],
  }));
  return { block, rows };
}

// SHA-1 of "a" is 86f7e437..., of "b" e9d71f5e...
const [A, B] = ["86f7", "e9d7"];

test("a batch becomes rows for its points, its labels and itself", () => {
  const contents = contentsOf(
    batchOf([sample("b", 5), sample("a", 5), sample("a", 6), sample("a", 5)]),
  );
  const { block, rows } = tableIn(encodeBatches([rowsOf(contents)]));
  expect(rows.map(({ kind, hash, second, requests }) => [kind, hash, second, requests])).toEqual([
    ["batch", "\0\0\0\0", 0, 4],
    ["label", A, 0, 0],
    ["label", B, 0, 0],
    ["point", A, 5, 2],
    ["point", A, 6, 1],
    ["point", B, 5, 1],
  ]);
  expect(rows.slice(0, 3).map(({ text }) => text)).toEqual([
    '{"sourceId":"sender","generation":0,"isLive":true,"format":"k6-lines"}',
    "a",
    "b",
  ]);
  for (const [name, value] of Object.entries({
    incarnation: 3,
    sequence: 7,
    test_day: 20_000,
    stored_at_ms: 99,
  })) {
    expect([name, ...new Set(block.numbers(name))]).toEqual([name, value]);
  }
  expect([...block.numbers("from_second")]).toEqual([5, 0, 0, 0, 0, 0]);
  expect([...block.numbers("until_second")]).toEqual([6, 0, 0, 0, 0, 0]);
});

test("failures share the row of their point, or get a row of their own", () => {
  const batch = batchOf([sample("a", 5), sample("a", 6)], {
    failures: failureTable([
      failure(0, "500", 6, 2),
      failure(0, "404", 6, 1),
      failure(0, "503", 9, 4),
    ]),
  });
  const { rows } = tableIn(encodeBatches([rowsOf(contentsOf(batch), { newLabels: [] })]));
  expect(rows.map(({ second, requests, failures }) => [second, requests, failures])).toEqual([
    [0, 2, []],
    [5, 1, []],
    [
      6,
      1,
      [
        ["404", 1],
        ["500", 2],
      ],
    ],
    [9, 0, [["503", 4]]],
  ]);
});

test("several batches and their users share a block", () => {
  const users = userTable([active("host", 7, 12)]);
  const one = rowsOf(contentsOf(batchOf([sample("a", 5)], { users })), { newLabels: [] });
  const other = rowsOf(contentsOf(batchOf([])), { sequence: 8, follows: 9 });
  const { block, rows } = tableIn(encodeBatches([one, other]));
  expect(rows.map(({ kind }) => kind)).toEqual(["batch", "point", "batch"]);
  expect([...block.numbers("sequence")]).toEqual([7, 7, 8]);
  expect([...block.numbers("follows")]).toEqual([0, 0, 9]);
  expect(block.strings("users")).toEqual([
    '{"generators":["host"],"generator":[0],"second":[7],"active":[12],"started":[0],"ended":[0]}',
    "",
    "",
  ]);
});

test("events become rows of their source, one for each kind", () => {
  const about = { sourceId: "f", generation: 0, isLive: false, wasVisible: true };
  const { block, rows } = tableIn(
    encodeEvents([
      {
        shardKey: SHARD_KEY,
        source: 2n ** 64n - 1n,
        event: { event: "gone", ...about },
        storedAtMs: 5,
      },
    ]),
  );
  expect(rows).toMatchObject([
    { kind: "source", text: JSON.stringify({ event: "gone", ...about }) },
  ]);
  expect([...block.bigints("source")]).toEqual([2n ** 64n - 1n]);
  expect([...block.numbers("sequence")]).toEqual([2]);
});

function digestOf(...labels: string[]): bigint {
  return contentsOf(batchOf(labels.map((label) => sample(label, 3, label.length)))).digest;
}

test("the digest does not depend on the numbering of labels", () => {
  expect(digestOf("a", "bb")).toBe(digestOf("bb", "a"));
  expect(digestOf("a", "bb")).not.toBe(digestOf("a", "cc"));
});
