import * as fc from "fast-check";
import { expect, test } from "vitest";
import type {
  ListPosition,
  LoadTestQuery,
  LoadTestSummary,
  NewLoadTest,
} from "../../../src/model/load-test.ts";
import { parseSearch } from "../../../src/model/load-test/search.ts";
import { OVERALL_FIGURES } from "../../../src/store/store.ts";
import { batchOf, published, sample } from "../../support/batches.ts";
import { loadTest } from "../../support/load-tests.ts";
import type { OpenEmptyStore } from "../store.ts";

/** Name, tags and time, by id. */
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
    [{ after: { startedAtMs: 7, id: "nightly-7" } }, ["a", "b", "42"]],
    [{ after: { startedAtMs: 5, id: "a" }, limit: 1 }, ["b"]],
    [{ after: { startedAtMs: 6, id: "was deleted" } }, ["a", "b", "42"]],
    [{ after: { startedAtMs: 1, id: "42" } }, []],
  ];

  test("a list has those that are looked for, latest start first", async () => {
    const loadTests = await openFilled();
    for (const [query, ids] of queries) {
      expect([query, idsOf(await loadTests.list(query))]).toEqual([query, ids]);
    }
  });

  test("terms of a search match what they name, whatever its case and alphabet", async () => {
    const { loadTests, points } = await open();
    const runs: Record<string, Partial<NewLoadTest>> = {
      a: { tags: ["thresholds-failed"], properties: { commit: "AB12", "team/x": 'q"\\' } },
      b: { pinned: true, environment: "Staging", description: "Größer, 商品 \u212a" },
      c: { name: "commit:ab12", properties: { branch: "main" }, tags: ["AB12"] },
    };
    for (const [id, run] of Object.entries(runs)) {
      await loadTests.create({ name: id, createdAtMs: id.charCodeAt(0), ...run, id });
    }
    await points.append({ ...batchOf([sample("x", 1), sample("x", 4)]), loadTestId: "b" });
    const found = async (search: string) =>
      idsOf(await loadTests.list({ terms: parseSearch(search) }))
        .toSorted()
        .join("");
    for (const [search, ids] of [
      ["commit:ab12", "ac"],
      ["COMMIT:AB", "ac"],
      ["branch:MAIN", "c"],
      ["branch:ab12", ""],
      ['"branch:main"', "c"],
      ['":MAI"', "c"],
      ['"commit:main"', ""],
      ["ab12", "ac"],
      ["tag:ab12", "c"],
      ["failed:yes", "a"],
      ["failed:no", "bc"],
      ["pinned:yes", "b"],
      ["env:STAG", "b"],
      ["GRÖSSER", ""],
      ["GRÖ", "b"],
      ["商品", "b"],
      // The sign of Kelvin is no k.
      ["k", ""],
      ['team/x:"q\\"\\\\"', "a"],
      ["requests>=2", "b"],
      ["requests>2", ""],
      ["errors>0%", ""],
      ["errors<1%", "b"],
      ["duration>3s duration<5s", "b"],
      ["ab12 main", "c"],
      ["", "abc"],
    ] as const) {
      expect([search, await found(search)]).toEqual([search, ids]);
    }
  });

  test("computed figures are searched where those of the current data are stored", async () => {
    const { loadTests, points } = await open();
    for (const id of ["a", "b", "none"]) await loadTests.create(loadTest(id));
    for (const id of ["a", "b"]) {
      await points.append({ ...batchOf([sample("x", 1)]), loadTestId: id });
      const revision = (await points.snapshot(id))?.revision ?? "";
      const text = JSON.stringify([0.1, id === "a" ? 0.6 : 0.4, 2, null]);
      await points.figures.keep(id, OVERALL_FIGURES, { revision, text });
      // Other parts do not replace it.
      for (let part = 0; part < 10; part++) {
        await points.figures.keep(id, `part ${part}`, { revision, text: "[]" });
      }
    }
    const found = async (search: string) =>
      idsOf(await loadTests.list({ terms: parseSearch(search) }));
    const lacking = async () => idsOf(await loadTests.list({ lacks: OVERALL_FIGURES }));
    expect(await found("p95>500ms")).toEqual(["a"]);
    expect(await found("p95<500ms p50>=100ms")).toEqual(["b"]);
    // The average is not known.
    expect(await found("average>0s")).toEqual([]);
    expect(await lacking()).toEqual([]);
    await points.append({ ...batchOf([sample("x", 2)], { sequence: 1 }), loadTestId: "a" });
    expect(await found("p95>500ms")).toEqual([]);
    expect(await lacking()).toEqual(["a"]);
  });

  test("a load test with requests stands where its first one was, whenever it was made", async () => {
    const { loadTests, points } = await open();
    for (const id of ["a", "b", "empty"]) {
      await loadTests.create({ id, name: id, createdAtMs: id === "empty" ? 5500 : 9000 });
    }
    await points.append({ ...batchOf([sample("x", 0), sample("x", 5)]), loadTestId: "a" });
    await points.append({ ...batchOf([sample("x", 6)]), loadTestId: "b" });
    expect(idsOf(await loadTests.list())).toEqual(["b", "empty", "a"]);
    const after = { startedAtMs: 5500, id: "empty" };
    expect(idsOf(await loadTests.list({ after }))).toEqual(["a"]);
  });

  test("formats of visible sources are told and found, those of live ones by their first batch", async () => {
    const { loadTests, points } = await open();
    await loadTests.create({ id: "run", name: "", createdAtMs: 1 });
    const told = async () => (await loadTests.find("run"))?.formats;
    await points.append(batchOf([sample("x", 1)], { sourceId: "f", visibility: "staged" }));
    expect(await told()).toEqual([]);
    await points.publish(published("f"));
    const { format } = published("f");
    expect(await told()).toEqual([format]);
    for (const [sequence, name] of ["k6-lines", "other"].entries()) {
      await points.append({ ...batchOf([sample("x", 1)], { sequence }), format: name });
    }
    expect(await told()).toEqual([format, "k6-lines"].toSorted());
    expect(idsOf(await loadTests.list({ search: "K6-L" }))).toEqual(["run"]);
    await points.withdraw("run", batchOf([]).sourceId);
    expect(await told()).toEqual([format]);
  });

  test("pages of any size give each load test once, whatever comes and goes between them", async () => {
    const property = fc.asyncProperty(fc.integer({ min: 1, max: 6 }), async (limit) => {
      const loadTests = await openFilled();
      const seen: string[] = [];
      for (let turn = 0; ; turn++) {
        const position = seen.length === 0 ? undefined : positionOf(seen.at(-1) as string);
        const page = await loadTests.list({ after: position, limit });
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

function positionOf(id: string): ListPosition {
  return { id, startedAtMs: CATALOGUE[id as keyof typeof CATALOGUE][2] };
}

function idsOf(summaries: readonly LoadTestSummary[]): readonly string[] {
  return summaries.map(({ id }) => id);
}
