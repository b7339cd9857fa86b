import { SIEGE_CSV } from "./about.ts";
import type { DecodeOptions, Format, SampleSink } from "../decoder.ts";
import { scaledOf } from "../bytes/exact-number.ts";
import { hasFailedStatus } from "../failure-kinds.ts";
import { headText, quoted } from "../quoted.ts";
import { WHOLE_SECONDS, unansweredLeftOut } from "../notes.ts";
import { lineDecoder, type RequestLines, RequestRows, startAt } from "../requests/request-rows.ts";
import { TimestampReader } from "../bytes/timestamp.ts";

const COLOUR = new RegExp(`${String.fromCodePoint(0x1b)}\\[[\\d;]*m`, "g");

/** Optional stamp, mark and user, then padded columns. A URL may contain commas, but not a second row: that is two merged rows. */
const ROW =
  /^(?:(?!HTTP\/\d).)*(?<protocol>HTTP\/\d(?:\.\d)?),\s*(?<code>\d+),\s*(?<elapsed>\d+\.\d+),\s*(?<bytes>\d+),(?<url>(?:(?!HTTP\/\d(?:\.\d)?,).)*),\s*(?<urlId>\d+),\s*(?<endedAt>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\s*$/u;

/** Incomplete or merged rows. */
const PIECE = /HTTP\/\d(?:\.\d)?,|^\s*\[\w{3}, \d/;

/** Output of siege with `verbose` and `csv`. */
export const siegeCsv: Format = {
  ...SIEGE_CSV,
  recognises: (head) =>
    headText(head)
      .split("\n")
      .some((line) => readSiegeRow(line) !== undefined),
  open: (sink, options) => lineDecoder(new SiegeLines(sink, options), sink),
};

const MICROS_PER_SECOND = 1_000_000;

class SiegeLines implements RequestLines {
  readonly rows: RequestRows;
  readonly #timestamps: TimestampReader;
  /** Lines without rows or parts of rows. */
  #otherLines = 0;

  constructor(sink: SampleSink, options: DecodeOptions) {
    this.rows = new RequestRows(sink, options, SIEGE_CSV.labelFields);
    this.#timestamps = new TimestampReader(options.timeZone);
  }

  take(bytes: Buffer, from: number, to: number): string | undefined {
    const line = bytes.toString("utf8", from, to);
    const row = readSiegeRow(line);
    if (row !== undefined) return this.#takeRow(row);
    if (PIECE.test(line.replaceAll(COLOUR, ""))) {
      return `the line is part of a row: got ${quoted(line)}, want all of it`;
    }
    this.#otherLines += 1;
    return undefined;
  }

  isWhole(bytes: Buffer, from: number, to: number): boolean {
    return readSiegeRow(bytes.toString("utf8", from, to)) !== undefined;
  }

  notes(): string[] {
    const notes = [
      ...this.#timestamps.zoneNotes("the time of a row"),
      WHOLE_SECONDS,
      "siege records elapsed times in steps of 10 ms",
      unansweredLeftOut("siege"),
    ];
    if (this.#otherLines > 0) {
      notes.push(`lines of siege that are not requests, not counted: ${this.#otherLines}`);
    }
    return notes;
  }

  #takeRow(row: SiegeRow): string | undefined {
    const ended = Buffer.from(row.endedAt);
    const endSecond = this.#timestamps.read(ended, 0, ended.length);
    if (endSecond === undefined) {
      return `cannot read the time: got ${quoted(row.endedAt)}, want ${this.#timestamps.wanted}`;
    }
    const elapsedMicros = scaledOf(row.elapsed, 6);
    const receivedBytes = scaledOf(row.bytes, 0);
    if (elapsedMicros === undefined || receivedBytes === undefined) {
      return `cannot read the row: got ${quoted(`${row.elapsed},${row.bytes}`)}, want numbers below 2^53`;
    }
    const request = this.rows.begin();
    startAt(request, endSecond * MICROS_PER_SECOND - elapsedMicros);
    request.elapsedMicros = elapsedMicros;
    request.receivedBytes = receivedBytes;
    request.hasFailed = hasFailedStatus(Number(row.code));
    request.code = row.code;
    this.rows.details = () => ({ url: row.url });
    return this.rows.record(this.rows.labelOf(row, row.url));
  }
}

interface SiegeRow {
  readonly protocol: string;
  readonly code: string;
  /** In seconds, two decimals. */
  readonly elapsed: string;
  readonly bytes: string;
  readonly url: string;
  readonly urlId: string;
  /** Local time of the response, whole seconds. */
  readonly endedAt: string;
}

function readSiegeRow(line: string): SiegeRow | undefined {
  return ROW.exec(line.replaceAll(COLOUR, ""))?.groups as SiegeRow | undefined;
}
