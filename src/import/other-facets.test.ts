import { expect, test } from "vitest";
import { snapshotOf } from "../../test/support/batches.ts";
import { importInto } from "../../test/support/imports.ts";
import { openMemoryStore } from "../../test/support/memory-store/memory-store.ts";
import { jmeterCsv } from "../decode/jmeter/jmeter-csv.ts";
import { otherFacetsText } from "../model/quality/row-quality.ts";
import { readSourceFacts } from "../query/source-facts.ts";
import { DecodeRun } from "./decode-points.ts";

/** Thread group k of `pay` has k + 1 requests, each of the 70 of `home` two; `cart` has one group. */
const ROWS = [
  ...Array.from({ length: 100 }, (_, group) => rowsOf("pay", group, group + 1)),
  ...Array.from({ length: 70 }, (_, group) => rowsOf("home", group, 2)),
  ...rowsOf("cart", 0, 500),
].flat();
const HEADER = "timeStamp,elapsed,label,threadName,success,bytes\n";
const FILE = `${HEADER}${ROWS.join("")}`;

function rowsOf(label: string, group: number, rows: number): readonly string[] {
  return Array<string>(rows).fill(`1700000000000,100,${label},g${group} 1-1,true,10\n`);
}

/** Beyond 64 groups: 65 + … + 100 of `pay`, and 6 * 2 of `home`. */
const OTHERS = [
  { name: "home", values: 12 },
  { name: "pay", values: 2970 },
];
const SAID = "2,982 requests of 2 labels count as (other) by their facets";

test("requests beyond 64 combinations of facets a label are counted by the note and the quality", async () => {
  const store = openMemoryStore();
  const { requests, notes } = await importInto(store, FILE);
  expect(requests).toBe(5050 + 140 + 500);
  expect(notes).toEqual([
    "facets have more than 64 combinations a label (--facet-combinations-max): further ones count as (other)",
    SAID,
  ]);
  const snapshot = await snapshotOf(store);
  const [source] = await snapshot.sources();
  const { otherFacets = [] } = source?.published?.quality ?? {};
  expect(otherFacets.toSorted((left, right) => left.values - right.values)).toEqual(OTHERS);
  const { remarks } = await readSourceFacts(snapshot);
  snapshot.release();
  const [remark] = remarks.filter(({ code }) => code === "facets-limited");
  expect(remark?.message).toContain(`in "a.jtl", ${SAID}: `);
  expect(remark?.message).toContain("pay (2,970 requests)");
});

test("batches of a file that is followed count each such request once", () => {
  const format = jmeterCsv;
  const run = new DecodeRun({ format, options: { timeZone: "UTC" } });
  let counted = 0;
  for (let at = 0; at < FILE.length; at += 5000) {
    run.decode(Buffer.from(FILE.slice(at, at + 5000)));
    run.flush();
    for (const { values } of run.takeRows()?.otherFacets ?? []) counted += values;
  }
  expect(counted).toBe(2982);
});

test("a source within the limits says nothing", async () => {
  const store = openMemoryStore();
  const { notes } = await importInto(store, `${HEADER}${rowsOf("pay", 1, 3).join("")}`);
  expect(notes).toEqual([]);
});

function groups(from: number): string {
  return HEADER + [0, 1, 2].flatMap((at) => rowsOf("pay", from + at, from + at + 1)).join("");
}

test("requests whose series a full load test merges are counted by the note and the quality", async () => {
  const facets = { facetCombinationsMax: 2, facetSeriesMax: 100 };
  const store = openMemoryStore({ labelLimit: { max: 100, facets } });
  expect((await importInto(store, groups(0))).notes).toEqual([]);
  // A load test may have twice as many: one of the groups 3, 4 and 5, with 4, 5 and 6 requests, has room.
  const { notes } = await importInto(store, groups(3));
  expect(notes).toEqual([
    "11 requests of 1 label count as (other) by their facets: " +
      "the run has as many series as it may have (--facet-combinations-max, --facet-series-max)",
  ]);
  const snapshot = await snapshotOf(store);
  const sources = await snapshot.sources();
  snapshot.release();
  const counted = sources.flatMap(({ published }) => published?.quality.otherFacets ?? []);
  expect(counted).toEqual([{ name: "pay", values: 11 }]);
});

test("one request counts", () => {
  expect(otherFacetsText([{ name: "pay", values: 1 }])).toBe(
    "1 request of 1 label counts as (other) by its facets",
  );
});
