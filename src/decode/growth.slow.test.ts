import { expect, test } from "vitest";
import { MeasureAccumulator } from "../aggregate/measure-accumulator.ts";
import { readCorpus } from "../../test/fuzz/corpus.ts";
import { UserError } from "../model/errors.ts";
import type { Format, SampleSink } from "./decoder.ts";
import { FORMATS } from "./formats.ts";

/** Patterns that could make a reader scan the same bytes repeatedly. */
const SIGNS = [
  '"',
  '""',
  '","',
  ",",
  "\t",
  ";",
  " ",
  "\\",
  '\\"',
  "0",
  "a",
  "a=",
  "a=b,",
  "\\ ",
  "\0",
  "é",
];
const MARKUP = [
  "<",
  "<a ",
  "&",
  "&amp;",
  "<!--",
  "<![CDATA[",
  "]]>",
  "-->",
  "<httpSample t='1'>",
  "</sample>",
];
const PIECES = ["{", "[", '{"a":', '"a":1,', '"a":"', "HTTP/1.1,", "OK\t", "T 1-1 ", "1,", "#"];
const LINES = ["\n", "\r\n", "\r", ",\n", '"\n', "{\n", "}\n", "REQUEST\n", "REQUEST\tOK\n"];
const PATTERNS = [...SIGNS, ...MARKUP, ...PIECES, ...LINES];

const BYTES = Number(process.env["TACHOGRAPH_GROWTH_BYTES"] ?? 6000);
/** Shorter times are dominated by other load on the machine. */
const MS_MIN = 60;
const GROWTH_MAX = 2.5;
/** Sizes to compare with their double, until one is linear; at the largest, noise is small. */
const SCALES = [1, 1, 2, 4, 4];
const PIECES_BYTES = [65_536, 700];

const nothing: SampleSink = {
  record: () => undefined,
  recordWindow: () => undefined,
  recordFailure: () => undefined,
  recordActiveUsers: () => undefined,
  recordUserChanges: () => undefined,
  confirmSizes: () => undefined,
  recordPercentiles: () => undefined,
  repair: () => undefined,
  measures: new MeasureAccumulator(),
  reject: () => undefined,
};

// Formats that are decoded at their end check their digest first.
test.each(FORMATS.filter(({ needsEnd }) => needsEnd === undefined))(
  "$name takes twice the time for twice the input, whatever is repeated",
  (format) => {
    const seed = readCorpus(format.name)[0]?.bytes ?? new Uint8Array();
    for (const [index, pattern] of PATTERNS.entries()) {
      const pieceBytes = PIECES_BYTES[index % PIECES_BYTES.length] as number;
      const msOf = (bytes: number): number =>
        readMs(format, withPattern(seed, pattern, bytes), pieceBytes);
      // Fast runs are skipped.
      if (msOf(2 * BYTES) < MS_MIN) continue;
      // What grows too fast does so at each size; other load on the machine does not.
      const isLinear = SCALES.some((scale) => {
        const bytes = scale * BYTES;
        return msOf(2 * bytes) < GROWTH_MAX * msOf(bytes);
      });
      expect({ pattern, isLinear }).toEqual({ pattern, isLinear: true });
    }
  },
  60_000,
);

/** Returns `seed` with the pattern repeated within the last record. */
function withPattern(seed: Uint8Array, pattern: string, bytes: number): Buffer {
  const text = Buffer.from(seed);
  const at = text.length - 20;
  const repeated = Buffer.from(pattern.repeat(Math.ceil(bytes / pattern.length)));
  return Buffer.concat([text.subarray(0, at), repeated, text.subarray(at)]);
}

function readMs(format: Format, source: Uint8Array, pieceBytes: number): number {
  // Not of the threads in which V8 compiles.
  const begin = process.threadCpuUsage();
  try {
    const decoder = format.open(nothing, { timeZone: "UTC" });
    for (let at = 0; at < source.length; at += pieceBytes) {
      decoder.push(source.subarray(at, at + pieceBytes));
    }
    decoder.end();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
  }
  const { user, system } = process.threadCpuUsage(begin);
  return (user + system) / 1000;
}
