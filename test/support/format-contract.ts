import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { DecodeOptions, Format } from "../../src/decode/decoder.ts";
import { detectFormat } from "../../src/decode/detect.ts";
import { FORMATS } from "../../src/decode/formats.ts";
import { UserError } from "../../src/model/errors.ts";
import { readCorpus } from "../fuzz/corpus.ts";
import { type Decoded, decodeSource } from "./decode-source.ts";
import { mutantsOf, outcomesOf, placesOf } from "./mutants.ts";
import { randomCases } from "./random-cases.ts";

interface FormatContract {
  /** A source of several requests. @default the first seed of its fuzz corpus */
  readonly seed?: string;
  /** @default those of most formats */
  readonly options?: DecodeOptions;
  /** Lines that are rejected alone, with the reasons; the seed must then have a request per line. */
  readonly wrong?: readonly (readonly [line: string, reason: string])[];
}

const CUTS = 40;
const LONG_BYTES = 20_000;
const LABEL_BYTES_MAX = 1024;
const LINE_FEED = 0x0a;

/** Tests what every format promises, however its source arrives and is damaged. */
export function formatContract(
  format: Format,
  { seed, options = { timeZone: "UTC" }, wrong = [] }: FormatContract = {},
): void {
  const saved = readCorpus(format.name).find(({ name }) => name.startsWith("seed-"));
  const source = Buffer.from(seed ?? saved?.bytes ?? "");
  const whole = decodeSource(format, source, [], options);

  describe(`${format.name} keeps the contract of formats`, () => {
    test("it is detected by its content", () => {
      expect(detectFormat(source, FORMATS).name).toBe(format.name);
    });

    test("the chunk size does not matter", () => {
      const sizes = fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 6 });
      fc.assert(
        fc.property(sizes, (each) => {
          expect(decodeSource(format, source, each, options)).toEqual(whole);
        }),
        { numRuns: randomCases(30) },
      );
    });

    test("damaged, it gives the same in all chunk sizes, and places in it", () => {
      fc.assert(
        fc.property(mutantsOf(source), (mutant) => {
          const [first = "BUG", ...others] = outcomesOf(format, mutant, options);
          for (const other of others) expect(other).toEqual(first);
          for (const { line, byte, reason } of placesOf(first)) {
            expect(byte >= 0 && byte <= mutant.length).toBe(true);
            // Binary formats count records instead.
            const isLine = line === 1 + lineFeedsIn(mutant.subarray(0, byte));
            expect(isLine || (source.includes(0) && line > 0)).toBe(true);
            expect(reason).not.toBe("");
          }
          const windows = typeof first === "object" ? first.windows : [];
          windows.forEach(expectPossible);
        }),
        { numRuns: randomCases(source.length > LONG_BYTES ? 10 : 60) },
      );
    });

    test("cut anywhere, it gives the first of its requests", () => {
      for (let cut = 1; cut < CUTS; cut++) {
        const end = Math.floor((source.length * cut) / CUTS);
        const samples = samplesOf(format, source.subarray(0, end), options);
        expect({ end, samples }).toEqual({ end, samples: whole.samples.slice(0, samples.length) });
      }
      expect(whole.samples.length + whole.windows.length).toBeGreaterThan(0);
    });

    test.runIf(format.labelFields !== undefined)("a label that is too long is shortened", () => {
      const { samples } = decodeSource(format, source, [], {
        ...options,
        labelTemplate: "x".repeat(LABEL_BYTES_MAX + 1),
      });
      const bytes = new Set(samples.map(({ label = "" }) => Buffer.byteLength(label)));
      expect({ requests: samples.length, bytes: [...bytes] }).toEqual({
        requests: whole.samples.length,
        bytes: samples.length > 0 ? [LABEL_BYTES_MAX] : [],
      });
    });

    test.each(wrong)("the line %j is rejected alone", (line, reason) => {
      const last = source.toString().trimEnd().split("\n").at(-1) ?? "";
      const text = `${source.toString().trimEnd()}\n`;
      const given = decodeSource(format, `${text}${line}\n${last}\n`, [], options);
      const place = { line: text.split("\n").length, byte: Buffer.byteLength(text) };
      expect(given.rejections).toEqual([...whole.rejections, { ...place, reason }]);
      const rows = [...whole.samples, ...whole.windows].length;
      expect(given.samples.length + given.windows.length).toBe(rows + 1);
    });
  });
}

function lineFeedsIn(bytes: Uint8Array): number {
  return bytes.filter((byte) => byte === LINE_FEED).length;
}

function expectPossible(window: Decoded["windows"][number]): void {
  const { requests, failedRequests, latencies, elapsedMicros, receivedBytes } = window;
  expect(failedRequests).toBeLessThanOrEqual(requests);
  const known = latencies.reduce((sum, each) => sum + each.requests, 0);
  expect(known).toBeLessThanOrEqual(requests);
  expect(Number.isSafeInteger(elapsedMicros + receivedBytes)).toBe(true);
}

/** None of a source that is refused. */
function samplesOf(format: Format, part: Uint8Array, options: DecodeOptions) {
  try {
    return decodeSource(format, part, [], options).samples;
  } catch (error) {
    if (error instanceof UserError) return [];
    throw error;
  }
}
