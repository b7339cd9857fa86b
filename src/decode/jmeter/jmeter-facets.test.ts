import { expect, test } from "vitest";
import {
  type Decoded,
  decodeSource,
  seriesOfSamples,
} from "../../../test/support/decode-source.ts";
import { partsOfSeries } from "../../model/series/facets.ts";
import type { FacetOptions, Format } from "../decoder.ts";
import { jmeterCsv } from "./jmeter-csv.ts";
import { jmeterXml } from "./jmeter-xml.ts";
import { threadGroupOf } from "./jmeter-label.ts";
import { recording } from "../../../test/support/recording.ts";

function decode(format: Format, file: string, facets?: FacetOptions): Decoded {
  const bytes = recording(file);
  return decodeSource(format, bytes, [], { timeZone: "UTC", facets });
}

function countByFacets(decoded: Decoded): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const series of seriesOfSamples(decoded)) {
    const key = partsOfSeries(series)
      .facets.filter(([name]) => name !== "transaction")
      .map((facet) => facet.join("="))
      .join(" & ");
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

const CSV = "jmeter-csv/gen-jmeter-5.6.3-all-columns-vars.csv.gz";
const XML = "jmeter-xml/gen-jmeter-5.6.3-responsedata-headers-vars.jtl.gz";
const DEFAULT = "jmeter-csv/gen-jmeter-5.6.3-default.jtl.gz";
const WHO = 'who=Анна, "A"';

/** Counted with Python's csv and xml.etree. */
test.each([
  { format: jmeterCsv, file: DEFAULT, at: ["", ""], want: [1141, 581] },
  { format: jmeterCsv, file: CSV, at: ["hostname=vm & ", ""], want: [754, 373] },
  { format: jmeterXml, file: XML, at: ["hostname=vm & ", ""], want: [290, 94] },
  ...[
    { format: jmeterCsv, file: CSV, want: [754, 373] },
    { format: jmeterXml, file: XML, want: [290, 94] },
  ].map((each) => ({ ...each, facets: { names: ["who"] }, at: ["hostname=vm & ", ` & ${WHO}`] })),
])("$file: thread groups, hosts and sample variables", ({ format, file, at, want, ...named }) => {
  const { facets } = { facets: undefined, ...named };
  expect(countByFacets(decode(format, file, facets))).toEqual({
    [`${at[0]}threadGroup=Shop, users${at[1]}`]: want[0],
    [`${at[0]}threadGroup=API «сервис»${at[1]}`]: want[1],
  });
});

// With Python's ElementTree: 21 generated parents, each with two requests, one of which has two sub-results.
test("samples within a transaction have it as a facet", () => {
  const names = seriesOfSamples(decode(jmeterXml, XML)).map((series) =>
    partsOfSeries(series).facets.find(([name]) => name === "transaction"),
  );
  const found = names.filter((each) => each !== undefined);
  expect(new Set(found.map(([, value]) => value))).toEqual(new Set(["TC parent «покупка»"]));
  expect(found.length).toBe(84);
});

test("all else is as without facets", () => {
  for (const [format, file] of [
    [jmeterCsv, CSV],
    [jmeterXml, XML],
  ] as const) {
    expect(decode(format, file)).toEqual(decode(format, file, { areOff: true }));
  }
});

test.each([
  ["Shop, users 1-12", "Shop, users"],
  ["10.0.0.3-Shop 1-1", "Shop"],
  ["load-3.example.org:1099-Shop-2 1-1", "Shop-2"],
  ["Shop-2 1-1", "Shop-2"],
  ["parallel 3", ""],
  ["", ""],
])("%j is a thread of %j", (thread, group) => {
  expect(threadGroupOf(thread)).toBe(group);
});

function notesOf(facets: FacetOptions): string {
  return decode(jmeterCsv, CSV, facets).notes.join();
}

test("a sample variable that is a facet is not said to be left out", () => {
  expect(notesOf({ names: [] })).toMatch(/not stored: .*"who"/);
  expect(notesOf({ names: ["who"] })).not.toContain('"who"');
});
