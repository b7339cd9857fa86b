import { GHZ_JSON } from "./about.ts";
import type { Rejection } from "../../model/import-report.ts";
import { ByteWindow } from "../bytes/byte-window.ts";
import type { DecodeOptions, Format, SampleSink } from "../decoder.ts";
import { headText, quoted } from "../quoted.ts";
import { UserError } from "../../model/errors.ts";
import { ALL_REQUESTS } from "../labels/label-template.ts";
import { readJsonNumber } from "../json/json-fields.ts";
import type { JsonReader } from "../json/json-reader.ts";
import { JsonRecords, type RecordDocument } from "../json/json-records.ts";
import { type Instant, readInstant } from "../bytes/k6-instant.ts";
import { RequestRows, startAt } from "../requests/request-rows.ts";
import { noSizes } from "../notes.ts";
import { WindowDecoder, type WindowParts } from "../window-decoder.ts";

/** Separate: a joint expression would backtrack. */
const SIGNS = [/^\{/, /"(?:endReason|statusCodeDistribution)"\s*:/, /"call"\s*:/];

/** The report that `ghz --format json` writes, with its single requests. */
export const ghzJson: Format = {
  ...GHZ_JSON,
  recognises: (head) => SIGNS.every((sign) => sign.test(headText(head))),
  open(sink, options) {
    const window = new ByteWindow();
    return new WindowDecoder(window, new GhzDetails(window, sink, options));
  },
};

const ROOT = "/";
const OPTIONS = "/options/";
const DETAILS = "/details/";
const WANTED: readonly string[] = [ROOT, OPTIONS, DETAILS, `${DETAILS}/`];
const PASSED = "OK";
const MICROS_PER_SECOND = 1_000_000;
const NANOS_PER_MICRO = 1000;

class GhzDetails implements RecordDocument, WindowParts {
  readonly rows: RequestRows;
  readonly #records: JsonRecords;
  readonly #ended: Instant = { second: 0, nanos: 0, hasParts: false };
  #call = "";
  /** Number of requests according to the report. */
  #counted: number | undefined;
  #sawDetails = false;

  constructor(window: ByteWindow, sink: SampleSink, options: DecodeOptions) {
    this.rows = new RequestRows(sink, options, GHZ_JSON.labelFields);
    this.#records = new JsonRecords(window, this, sink, this.rows.repairs);
  }

  get reader(): JsonReader {
    return this.#records.reader;
  }

  /** Throws `unreadable-source` if a report has no single requests. */
  finish(truncatedAt: Rejection | undefined): readonly string[] {
    if (!this.#sawDetails && truncatedAt === undefined) {
      throw new UserError(
        "unreadable-source",
        "cannot read this as ghz-json: the report has no details, record with --format json",
      );
    }
    const notes = [noSizes("ghz")];
    const counted = truncatedAt === undefined ? this.#counted : undefined;
    if (counted !== undefined && counted !== this.#records.count) {
      notes.push(`ghz counts ${counted} requests, its details list ${this.#records.count}`);
    }
    return [...notes, ...this.rows.notes()];
  }

  wants(path: string): boolean {
    if (path === DETAILS) this.#sawDetails = true;
    return WANTED.includes(path);
  }

  isList(path: string): boolean {
    return path === DETAILS;
  }

  scalar(path: string, key: string, text: string): void {
    if (path === OPTIONS && key === "call") this.#call = text;
    else if (path === ROOT && key === "count") this.#counted = readJsonNumber(text, 0);
  }

  record(members: ReadonlyMap<string, string>): string | undefined {
    const text = (key: string): string => members.get(key) ?? "";
    const [timestamp, latency] = [text("timestamp"), text("latency")];
    const [error, status] = [text("error"), text("status")];
    const ended = Buffer.from(timestamp);
    if (!readInstant(ended, 0, ended.length, this.#ended)) {
      return `cannot read timestamp: got ${quoted(timestamp)}, want RFC 3339`;
    }
    const nanos = readJsonNumber(latency, 0) ?? 0;
    const request = this.rows.begin();
    const sinceSecond = Math.floor((this.#ended.nanos - nanos) / NANOS_PER_MICRO);
    startAt(request, this.#ended.second * MICROS_PER_SECOND + sinceSecond);
    request.elapsedMicros = Math.round(nanos / 1000);
    if (readJsonNumber(latency, 0) === undefined) {
      const wanted = "want a whole number of nanoseconds";
      this.rows.untime(`cannot read latency: got ${quoted(latency)}, ${wanted}`);
    }
    request.hasFailed = status !== PASSED || error !== "";
    request.code = status;
    request.message = error;
    return this.rows.record(this.rows.labelOf({ call: this.#call, status }, ALL_REQUESTS));
  }
}
