import { expect, test } from "vitest";
import type { UrlGrouping } from "../../src/decode/decoder.ts";
import { detectFormat } from "../../src/decode/detect.ts";
import { FORMATS } from "../../src/decode/formats.ts";
import { LabelGroups } from "../../src/decode/labels/label-groups.ts";
import { type Decoded, decodeSource } from "../support/decode-source.ts";
import { FIXTURES, readFixture } from "./fixtures.ts";

/** Groups every URL that has a path. */
const GROUPING: UrlGrouping = { ids: true, rules: ["/*", "/**"] };

/** Enough to contain every kind of record of a file. */
const BEGINNING_BYTES = 200_000;

const files = FIXTURES.filter(
  ({ ending, file }) => ending !== "refused" && !file.endsWith(".gz"),
).map(({ file }) => {
  const bytes = readFixture(file).subarray(0, BEGINNING_BYTES);
  return { file, bytes, format: detectFormat(bytes.subarray(0, 64 * 1024), FORMATS) };
});

const formatsWithUrls = new Set<string>();

test.each(files)(
  "$file with grouping has the same data as without, except for its labels",
  ({ bytes, format }) => {
    const groups = new LabelGroups(GROUPING, format.name.startsWith("jmeter-"));
    const options = { timeZone: "UTC", labels: { grouping: GROUPING } };
    const grouped = decodeSource(format, bytes, [70_001], options);
    const plain = decodeSource(format, bytes);

    expect(rowsOf(grouped)).toEqual(rowsOf(plain, groups));
    const isFolded = [...plain.samples, ...plain.windows].some(
      ({ label }) => foldIn(groups, label) !== label,
    );
    if (isFolded) formatsWithUrls.add(format.name);
  },
);

test("the files of these formats have URLs that are grouped", () => {
  expect([...formatsWithUrls].toSorted()).toEqual([
    "artillery-json",
    "har",
    "jmeter-xml",
    "k6-csv",
    "k6-json",
    "locust-history",
    "locust-requests",
    "siege-csv",
    "taurus-csv",
  ]);
});

function rowsOf({ samples, windows, failures, users, rejections }: Decoded, groups?: LabelGroups) {
  const fold = <Row extends { readonly label: string | undefined }>(row: Row): Row => ({
    ...row,
    label: foldIn(groups, row.label),
  });
  return {
    samples: samples.map(fold),
    windows: windows.map(fold),
    failures: failures.map(fold),
    users,
    rejections,
  };
}

function foldIn(groups: LabelGroups | undefined, label: string | undefined): string | undefined {
  if (groups === undefined || label === undefined) return label;
  const bytes = Buffer.from(label);
  groups.fold(bytes, 0, bytes.length);
  return Buffer.from(groups.folded.bytes.subarray(0, groups.folded.length)).toString();
}
