import { ByteWindow } from "../bytes/byte-window.ts";
import type { DecodeOptions, Format, SampleSink } from "../decoder.ts";
import { readJsonNumber } from "../json/json-fields.ts";
import type { JsonReader } from "../json/json-reader.ts";
import { JsonRecords, type RecordDocument } from "../json/json-records.ts";
import { ALL_REQUESTS } from "../labels/label-template.ts";
import { headText, quoted } from "../quoted.ts";
import { RequestRows, startAt } from "../requests/request-rows.ts";
import { WindowDecoder, type WindowParts } from "../window-decoder.ts";
import { GUIDELLM_JSON } from "./about.ts";

/** The report `benchmarks.json` of guidellm, with its requests: guidellm/schemas/benchmark/outputs. */
export const guidellmJson: Format = {
  ...GUIDELLM_JSON,
  recognises: (head) => SIGNS.every((sign) => sign.test(headText(head))),
  open(sink, options) {
    const window = new ByteWindow();
    return new WindowDecoder(window, new GuidellmRequests(window, sink, options));
  },
};

const SIGNS = [/^\{/, /"guidellm_version"\s*:/];
const STRATEGY = "/benchmarks//config/strategy/";
const BACKEND = "/benchmarks//config/backend/";
const LISTS = "/benchmarks//requests/";
/** Beginnings of the paths that are read. */
const ROOTS = [STRATEGY, BACKEND, `${LISTS}successful//info/`, `${LISTS}errored//info/`];
const INCOMPLETE = `${LISTS}incomplete/`;
/** Of one request. */
const TOKENS_MAX = 2 ** 20;

/** Members of a request that are no measures: its times, and texts. */
const NO_MEASURES: ReadonlySet<string> = new Set([
  "type_",
  "request_id",
  "response_id",
  "request_args",
  "request_start_time",
  "request_end_time",
  "request_latency",
  "output",
  "reasoning_output",
]);

class GuidellmRequests implements RecordDocument, WindowParts {
  readonly rows: RequestRows;
  readonly #records: JsonRecords;
  #strategy = new Map<string, string>();
  #model = "";
  #incomplete = 0;

  constructor(window: ByteWindow, sink: SampleSink, options: DecodeOptions) {
    this.rows = new RequestRows(sink, options, GUIDELLM_JSON.labelFields);
    this.#records = new JsonRecords(window, this, sink, this.rows.repairs);
  }

  get reader(): JsonReader {
    return this.#records.reader;
  }

  finish(): readonly string[] {
    const notes = this.rows.notes();
    if (this.#incomplete === 0) return notes;
    return [
      ...notes,
      `requests that were incomplete when guidellm ended, left out as in its figures: ${this.#incomplete}`,
    ];
  }

  wants(path: string): boolean {
    if (path === STRATEGY) this.#strategy = new Map();
    if (path === `${INCOMPLETE}/`) this.#incomplete += 1;
    return ROOTS.some((root) => root.startsWith(path));
  }

  isList(path: string): boolean {
    return path === `${LISTS}successful/` || path === `${LISTS}errored/`;
  }

  scalar(path: string, key: string, text: string): void {
    if (path === STRATEGY) this.#strategy.set(key, text);
    else if (path === BACKEND && key === "model") this.#model = text;
  }

  record(members: ReadonlyMap<string, string>, list: string): string | undefined {
    const micros = (key: string): number | undefined => readJsonNumber(members.get(key) ?? "", 6);
    const [start, end] = [micros("request_start_time"), micros("request_end_time")];
    if (start === undefined) {
      const got = members.get("request_start_time") ?? "nothing";
      return `cannot read request_start_time: got ${quoted(got)}, want seconds since 1970`;
    }
    const { rows } = this;
    const request = rows.begin();
    startAt(request, start);
    const elapsed = micros("request_latency") ?? (end === undefined ? undefined : end - start);
    if (elapsed === undefined) rows.untime("neither request_latency nor request_end_time");
    else request.elapsedMicros = Math.max(0, elapsed);
    request.hasFailed = list.endsWith("/errored/");
    request.message = members.get("info/error") ?? "";
    const reason = rows.record(this.#label());
    if (reason === undefined && !request.hasFailed) this.#measure(members);
    return reason;
  }

  /** As guidellm names its benchmarks, such as `concurrent@3`. */
  #label(): number {
    const strategy = this.#strategy.get("type_") ?? "";
    const level = this.#strategy.get("streams") ?? this.#strategy.get("rate");
    const named = level === undefined || level === "null" ? strategy : `${strategy}@${level}`;
    const fields = { strategy: named, model: this.#model };
    return this.rows.labelOf(fields, named || ALL_REQUESTS);
  }

  /** A value that is an average over tokens counts as many times as guidellm counts it. */
  #measure(members: ReadonlyMap<string, string>): void {
    const tokens = Number(members.get("output_tokens"));
    const repeated = new Map([
      ["inter_token_latency_ms", tokens - 1],
      ["time_per_output_token_ms", tokens],
    ]);
    for (const [name, text] of members) {
      if (NO_MEASURES.has(name) || name.includes("/")) continue;
      const contents = Buffer.from(text);
      const times = Math.min(TOKENS_MAX, Math.max(1, repeated.get(name) ?? 1));
      for (let each = 0; each < times; each++) this.rows.addColumn(name, contents);
    }
  }
}
