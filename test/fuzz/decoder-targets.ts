import { isDeepStrictEqual } from "node:util";
import type { Format } from "../../src/decode/decoder.ts";
import { detectFormat } from "../../src/decode/detect.ts";
import { FORMATS } from "../../src/decode/formats.ts";
import { UserError } from "../../src/model/errors.ts";
import { type Decoded, decodeSource } from "../support/decode-source.ts";
import { hdrLog } from "./structures/hdr-log.ts";
import { jsonLines } from "./structures/json.ts";
import { lineProtocol } from "./structures/line-protocol.ts";
import type { Structure } from "./structures/structure.ts";
import type { FuzzTarget } from "./target.ts";

/**
 * Chunk sizes for decoding a source again. Where a fast path reads complete rows, such chunks contain none,
 * so the slow path reads everything.
 */
const PIECES = [[5, 3], [1], [61, 2, 7], [512]];

/**
 * A target for each format: a decoder throws only user errors, and chunking does not change the result.
 * Leaves out formats with a digest, which reject every change; their own tests damage them.
 */
export const DECODER_TARGETS: readonly FuzzTarget[] = FORMATS.filter(
  ({ needsEnd }) => needsEnd === undefined,
).map((format) => ({
  name: format.name,
  run: (input) => checkDecoder(format, input),
  ...structureOf(format.name),
}));

/** Those of formats with lengths, checksums or nesting, which changes of bytes would only break. */
function structureOf(name: string): Pick<FuzzTarget, "structure" | "rssMiBMax"> {
  const structures: Readonly<Record<string, Structure>> = {
    "hdr-log": hdrLog,
    "line-protocol": lineProtocol,
    har: jsonLines,
  };
  const structure = structures[name] ?? (/json(?:l)?$/.test(name) ? jsonLines : undefined);
  // A histogram inflates to at most 16 MiB, and a source has several.
  const more = name === "hdr-log" ? { rssMiBMax: 600 } : {};
  return structure === undefined ? {} : { structure, ...more };
}

/** Runs every recogniser on bytes that are not of its format. */
export const detectTarget: FuzzTarget = {
  name: "detect",
  run(input) {
    try {
      detectFormat(input, FORMATS);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
    }
  },
};

function checkDecoder(format: Format, input: Uint8Array): void {
  format.recognises(input);
  const whole = outcomeOf(format, input, []);
  const sizes = PIECES[(input[input.length >> 1] ?? 0) % PIECES.length] as number[];
  const inPieces = outcomeOf(format, input, sizes);
  if (!isDeepStrictEqual(inPieces, whole)) {
    throw new Error(
      `in pieces of ${sizes.join(", ")} it is another: ${differenceOf(inPieces, whole)}`,
    );
  }
  if (typeof whole === "string") return;
  checkNumbers(whole);
  checkPlaces(whole, input.length);
}

function outcomeOf(format: Format, input: Uint8Array, sizes: readonly number[]): Decoded | string {
  try {
    return decodeSource(format, input, sizes, { timeZone: "UTC", valueUnit: "us" });
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
}

function checkNumbers({ samples, windows, failures }: Decoded): void {
  for (const each of [...samples, ...windows]) {
    const numbers = [each.second, each.elapsedMicros, each.receivedBytes, each.requests];
    const areExact = numbers.every((number) => Number.isSafeInteger(number) && number >= 0);
    if (!areExact || each.label === undefined || each.failedRequests > each.requests) {
      throw new Error(`no sample: ${JSON.stringify(each)}`);
    }
  }
  for (const { label, kind, requests } of failures) {
    if (label === undefined || kind === undefined || !(requests > 0)) {
      throw new Error(`no failure: ${label} ${kind?.code} ${requests}`);
    }
  }
}

function checkPlaces({ rejections, truncatedAt }: Decoded, bytes: number): void {
  for (const { line, byte, reason } of [
    ...rejections,
    ...(truncatedAt === undefined ? [] : [truncatedAt]),
  ]) {
    if (line < 1 || byte < 0 || byte > bytes || reason === "") {
      throw new Error(`no place: line ${line}, byte ${byte} of ${bytes}: ${reason}`);
    }
  }
}

function differenceOf(inPieces: Decoded | string, whole: Decoded | string): string {
  if (typeof inPieces === "string" || typeof whole === "string") {
    return `${short(inPieces)} instead of ${short(whole)}`;
  }
  const keys = Object.keys(whole) as (keyof Decoded)[];
  const key = keys.find((name) => !isDeepStrictEqual(inPieces[name], whole[name])) ?? "samples";
  return `${key} ${short(inPieces[key])} instead of ${short(whole[key])}`;
}

function short(value: unknown): string {
  return (JSON.stringify(value) ?? "nothing").slice(0, 300);
}
