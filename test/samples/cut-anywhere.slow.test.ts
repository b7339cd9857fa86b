import { expect, test } from "vitest";
import { seededRandom } from "../../bench/seeded-random.ts";
import { openMemoryStore } from "../support/memory-store/memory-store.ts";
import { type IndependentReading, readResults } from "../independent/read-results.mjs";
import { readingDifferences } from "./check-file.ts";
import { CUT_SOURCES, type CutSource } from "./cut-sources.ts";
import { importAndRead } from "./import-and-read.ts";

/** 500 for the figures of a release: docs/internals/reliability/README.md. */
const CUTS = Number(process.env["TACHOGRAPH_CUTS"] ?? 24);
const GROWN = 2;

test.each(CUT_SOURCES)(
  "$name cut anywhere gives the complete records before the cut, and says so",
  async (source) => {
    const whole = readResults(source.bytes);
    for (const end of placesIn(source, CUTS)) {
      const part = source.bytes.subarray(0, end);
      const imported = await importAndRead(part);
      const reading = readResults(part);
      const { recorded, ending, rejected, refusal = "" } = imported.outcome;
      expect({ end, recorded, rejected, refusal: refusalOf(refusal, recorded) }).toEqual({
        end,
        recorded: reading?.samples.length ?? 0,
        rejected: reading?.rejected.length ?? 0,
        refusal: "",
      });
      // The part has no relevant data, and nothing was counted.
      if (recorded === 0) continue;
      expect({ end, ending }).toEqual({ end, ending: reading?.cut === true ? "cut" : "whole" });
      expect({ end, differs: readingDifferences(imported, reading) }).toEqual({ end, differs: [] });
      expect({ end, ...foreign(reading, whole) }).toEqual({ end });
    }
  },
  60_000 + CUTS * 1000,
);

test.each(CUT_SOURCES)(
  "$name imported truncated, then complete, counts everything once",
  async (source) => {
    const once = await importAndRead(source.bytes);
    for (const end of placesIn(source, GROWN)) {
      const store = openMemoryStore();
      await importAndRead(source.bytes.subarray(0, end), { store });
      const twice = await importAndRead(source.bytes, { store });
      expect({ end, endpoints: twice.endpoints }).toEqual({ end, endpoints: once.endpoints });
      expect(twice.users).toEqual(once.users);
    }
  },
);

/** Offsets to cut at: random ones, and around line ends, where most errors occur. */
function placesIn({ name, bytes }: CutSource, count: number): number[] {
  const random = seededRandom(name.length + 1);
  return Array.from({ length: count }, (_, cut) => {
    const at = Math.floor(random() * bytes.length);
    const lineEnd = bytes.indexOf(0x0a, at);
    if (cut % 4 > 0 || lineEnd < 0) return at;
    return Math.min(bytes.length, Math.max(0, lineEnd - 3 + Math.floor(random() * 6)));
  });
}

/** A part without a complete record may be rejected as an unknown format. */
function refusalOf(refusal: string, recorded: number): string {
  return recorded === 0 ? "" : refusal;
}

/** A sample that is not in the complete source. */
function foreign(
  part: IndependentReading | undefined,
  whole: IndependentReading | undefined,
): { readonly foreign?: unknown } {
  const left = new Map<string, number>();
  for (const sample of whole?.samples ?? []) {
    left.set(keyOf(sample), (left.get(keyOf(sample)) ?? 0) + 1);
  }
  for (const sample of part?.samples ?? []) {
    const count = left.get(keyOf(sample)) ?? 0;
    if (count === 0) return { foreign: sample };
    left.set(keyOf(sample), count - 1);
  }
  return {};
}

function keyOf(sample: IndependentReading["samples"][number]): string {
  const { label, second, micros, bytes, requests, failed } = sample;
  return [second, micros, bytes, requests, failed, label].join(" ");
}
