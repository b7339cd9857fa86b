import { expect, test } from "vitest";
import { batchGroup } from "../../../test/support/batch-groups.ts";
import { inventedIn, type SourceEvent, sourceNumber, sourcesOf } from "./catalogue/sources.ts";
import { contentsDigest, visibleRows } from "./read/visible.ts";

const QUALITY = {
  unrecorded: [],
  untimedRequests: 0,
  averagedRequests: 0,
  windowSeconds: 1,
  rejectedRows: 0,
};

function file(format: string, quality?: typeof QUALITY) {
  const event: SourceEvent = {
    event: "published",
    sourceId: "a",
    generation: 0,
    name: "a",
    format,
    sizeBytes: 1,
    digest: "d",
    batches: 1,
    replaces: [],
    quality,
    number: sourceNumber("a", 0),
    storedAtMs: 1,
  };
  return sourcesOf([batchGroup({ isLive: false, format: "other" })], [event]);
}

function live(format: string | undefined) {
  return sourcesOf([batchGroup({ format })], []);
}

test.each([
  ["locust-history", "locust"],
  ["artillery-json", "artillery"],
  ["jmeter-line-protocol", "windows"],
  ["line-protocol", "windows"],
  ["locust-requests", undefined],
  ["jmeter-csv", undefined],
])(
  "%s: the invented data is %s, in files without a quality record and in live sources",
  (format, invented) => {
    for (const sources of [file(format), live(format)]) {
      expect(sources.map(inventedIn)).toEqual([invented]);
      expect(visibleRows(sources).map((rows) => rows.invented)).toEqual([invented]);
    }
    expect(file(format, QUALITY).map(inventedIn)).toEqual([undefined]);
  },
);

test("a live source without a format has no invented data", () => {
  expect(live(undefined).map(inventedIn)).toEqual([undefined]);
});

const SECONDS = { minutes: undefined };

test("the contents digest changes if invented data is left out", () => {
  const formats = ["locust-history", "artillery-json", "jmeter-line-protocol"];
  const digests = formats.map((format) => contentsDigest(file(format), SECONDS));
  expect(new Set([...digests, contentsDigest(file("jmeter-csv"), SECONDS)]).size).toBe(4);
  for (const format of formats) {
    expect(contentsDigest(file(format, QUALITY), SECONDS)).toBe(
      contentsDigest(file("jmeter-csv"), SECONDS),
    );
  }
});
