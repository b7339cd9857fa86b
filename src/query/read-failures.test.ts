import { expect, test } from "vitest";
import { batchOf, sample } from "../../test/support/batches.ts";
import type { FailureTable } from "../model/failures.ts";
import type { Store } from "../store/store.ts";
import { ALL_ENDPOINTS } from "../series/endpoint-selection.ts";
import { type FailuresQuery, readFailures } from "./read-failures.ts";
import { memoryStoreWith } from "../../test/support/stored-runs.ts";

/** A failed request of label `a` at `second`, and what it says about the reason. */
type Failed = readonly [second: number, message?: string];

async function storeWith(failed: readonly Failed[]): Promise<Store> {
  const store = await memoryStoreWith();
  const samples = [
    sample("b", 10),
    ...failed.map(([second]) => ({ ...sample("a", second), failed: true })),
  ];
  const told = failed.flatMap(([second, message]) =>
    message === undefined ? [] : { second, message },
  );
  const messages = [...new Set(told.map(({ message }) => message))];
  const rows = told
    .map(({ second, message }) => ({ second, kind: messages.indexOf(message) }))
    .toSorted((left, right) => left.kind - right.kind || left.second - right.second);
  const failures: FailureTable = {
    kinds: messages.map((message) => ({ code: "500", message })),
    counts: {
      endpoint: Uint32Array.from(rows, () => 1),
      kind: Uint32Array.from(rows, ({ kind }) => kind),
      second: Uint32Array.from(rows, ({ second }) => second),
      requests: Float64Array.from(rows, () => 1),
    },
  };
  await store.points.append(batchOf(samples, { failures }));
  return store;
}

async function failuresIn(store: Store, wanted: Partial<FailuresQuery> = {}) {
  const { range, selection = ALL_ENDPOINTS } = wanted;
  return (await readFailures(store.points, { loadTestId: "run", selection, range })).endpoints;
}

test("kinds are counted, most frequent first, and failures without a kind separately", async () => {
  const store = await storeWith([[0, "rare"], [10, "often"], [10], [12, "often"]]);
  expect(await failuresIn(store)).toEqual([
    {
      label: "a",
      hash: "86f7e437faa5a7fce15d1ddcb9eaeaea377667b8",
      errCount: 4,
      withoutKind: 1,
      kinds: [
        {
          code: "500",
          message: "often",
          count: 2,
          from: 10,
          until: 12,
          seconds: [
            { second: 10, requests: 1 },
            { second: 12, requests: 1 },
          ],
        },
        {
          code: "500",
          message: "rare",
          count: 1,
          from: undefined,
          until: undefined,
          seconds: [{ second: 0, requests: 1 }],
        },
      ],
    },
  ]);
});

test("range and selection apply; endpoints without failures are left out", async () => {
  const store = await storeWith([
    [10, "early"],
    [20, "late"],
  ]);
  const [late] = await failuresIn(store, { range: { from: 15, until: 30 } });
  expect(late?.kinds.map(({ message }) => message)).toEqual(["late"]);
  expect(late?.errCount).toBe(1);
  expect(await failuresIn(store, { selection: { by: "filter", filter: "b" } })).toEqual([]);
});

test("over a hundred kinds, the rare ones are combined", async () => {
  const often = Array.from({ length: 100 }, (_, number) => `m${number}`);
  const failed = [...often, ...often, "x", "y", "(other)"].map((message): Failed => [10, message]);
  const [endpoint] = await failuresIn(await storeWith(failed));
  expect(endpoint?.kinds).toHaveLength(101);
  const other = { code: "", message: "(other)", count: 3, from: 10, until: 10 };
  expect(endpoint?.kinds.at(-1)).toMatchObject(other);
  expect(endpoint?.withoutKind).toBe(0);
});
