import * as fc from "fast-check";
import { expect, test } from "vitest";
import type {
  LoadTestPlace,
  LoadTestQuery,
  LoadTestSummary,
} from "../../../src/model/load-test.ts";
import type { OpenEmptyStore } from "../store.ts";

/** Name, tags and time by id. */
const CATALOGUE = {
  "nightly-7": ["Checkout, 50 users", ["nightly", "prod"], 7],
  "nightly-8": ["Checkout, 60 users", ["nightly"], 8],
  b: ["Straße 100%", ["PROD_1"], 5],
  a: ["\u{1f319} Über", [], 5],
  "42": ["42", ["x"], 1],
} as const;

export function listsConform(open: OpenEmptyStore): void {
  async function openFilled() {
    const { loadTests } = await open();
    for (const [id, [name, tags, createdAtMs]] of Object.entries(CATALOGUE)) {
      await loadTests.create({ id, name, createdAtMs, tags });
    }
    return loadTests;
  }

  const queries: [LoadTestQuery, string[]][] = [
    [{}, ["nightly-8", "nightly-7", "a", "b", "42"]],
    [{ search: "night" }, ["nightly-8", "nightly-7"]],
    [{ search: "CHECKOUT, 6" }, ["nightly-8"]],
    [{ search: "über" }, ["a"]],
    [{ search: "prod" }, ["nightly-7", "b"]],
    [{ search: "%" }, ["b"]],
    [{ search: "_" }, ["b"]],
    [{ search: "" }, ["nightly-8", "nightly-7", "a", "b", "42"]],
    [{ search: "none" }, []],
    [{ tag: "nightly" }, ["nightly-8", "nightly-7"]],
    [{ tag: "Nightly" }, []],
    [{ tag: "nightly", search: "50" }, ["nightly-7"]],
    [{ limit: 2 }, ["nightly-8", "nightly-7"]],
    [{ limit: 2, search: "1" }, ["b"]],
    [{ after: { createdAtMs: 7, id: "nightly-7" } }, ["a", "b", "42"]],
    [{ after: { createdAtMs: 5, id: "a" }, limit: 1 }, ["b"]],
    [{ after: { createdAtMs: 6, id: "was deleted" } }, ["a", "b", "42"]],
    [{ after: { createdAtMs: 1, id: "42" } }, []],
  ];

  test("a list has those that are looked for, newest first", async () => {
    const loadTests = await openFilled();
    for (const [query, ids] of queries) {
      expect([query, idsOf(await loadTests.list(query))]).toEqual([query, ids]);
    }
  });

  test("pages of any size give each load test once, whatever comes and goes between them", async () => {
    const property = fc.asyncProperty(fc.integer({ min: 1, max: 6 }), async (limit) => {
      const loadTests = await openFilled();
      const seen: string[] = [];
      for (let turn = 0; ; turn++) {
        const place = seen.length === 0 ? undefined : placeOf(seen.at(-1) as string);
        const page = await loadTests.list({ after: place, limit });
        if (page.length === 0) break;
        seen.push(...idsOf(page));
        await loadTests.create({ id: `new-${turn}`, name: "", createdAtMs: 100 + turn });
        await loadTests.delete(seen.at(-1) as string);
      }
      expect(seen).toEqual(["nightly-8", "nightly-7", "a", "b", "42"]);
      for (const { id } of await loadTests.list()) await loadTests.delete(id);
    });
    await fc.assert(property, { numRuns: 6 });
  });
}

function placeOf(id: string): LoadTestPlace {
  return { id, createdAtMs: CATALOGUE[id as keyof typeof CATALOGUE][2] };
}

function idsOf(summaries: readonly LoadTestSummary[]): readonly string[] {
  return summaries.map(({ id }) => id);
}
