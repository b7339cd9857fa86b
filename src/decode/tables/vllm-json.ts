import { UserError } from "../../model/errors.ts";
import type { Rejection } from "../../model/import-report.ts";
import { ByteWindow } from "../bytes/byte-window.ts";
import { TimestampReader } from "../bytes/timestamp.ts";
import type { DecodeOptions, Format, SampleSink } from "../decoder.ts";
import { type JsonHandler, JsonReader, type JsonScalarKind } from "../json/json-reader.ts";
import { ALL_REQUESTS } from "../labels/label-template.ts";
import { atSecondZero } from "../notes.ts";
import { headText } from "../quoted.ts";
import { RequestRows } from "../requests/request-rows.ts";
import { WindowDecoder, type WindowParts } from "../window-decoder.ts";
import { VLLM_JSON } from "./about.ts";

/** What `vllm bench serve --save-result --save-detailed` writes, with `--append-result` several: vllm/benchmarks/serve.py. */
export const vllmJson: Format = {
  ...VLLM_JSON,
  recognises: (head) => SIGNS.every((sign) => sign.test(headText(head))),
  open(sink, options) {
    const window = new ByteWindow();
    return new WindowDecoder(window, new VllmRequests(window, sink, options));
  },
};

const SIGNS = [/^\{/, /"num_prompts"\s*:/, /"total_input_tokens"\s*:/];

/** Lists with an item per request; those of `itls` are lists, all in seconds. */
const COLUMNS = ["input_lens", "output_lens", "ttfts", "latencies", "start_times"] as const;
const ITLS = "itls";
const ERRORS = "errors";
const LISTS: ReadonlySet<string> = new Set([...COLUMNS, ITLS, ERRORS]);
/** All are held until the end, in 8 bytes each. */
const VALUES_MAX = 2 ** 23;
const MICROS_PER_SECOND = 1e6;
const MS_PER_SECOND = 1000;

class VllmRequests implements JsonHandler, WindowParts {
  readonly rows: RequestRows;
  readonly reader: JsonReader;
  readonly #sink: SampleSink;
  readonly #timestamps: TimestampReader;
  readonly #facts = new Map<string, string>();
  readonly #columns = new Map<string, number[]>(COLUMNS.map((name) => [name, []]));
  readonly #gaps: number[][] = [];
  readonly #errors: string[] = [];
  #values = 0;
  readonly #notes = new Set<string>();
  #documents = 0;
  /** Key of the open list, and how many are open. */
  #list = "";
  #depth = 0;

  constructor(window: ByteWindow, sink: SampleSink, options: DecodeOptions) {
    this.rows = new RequestRows(sink, options, VLLM_JSON.labelFields);
    this.reader = new JsonReader(window, this, "document");
    this.#sink = sink;
    this.#timestamps = new TimestampReader(options.timeZone);
  }

  enter(key: string): boolean {
    if (this.#depth === 1 && !LISTS.has(key)) return false;
    this.#depth += 1;
    if (this.#depth === 2) this.#list = key;
    if (this.#depth === 3) this.#gaps.push([]);
    return true;
  }

  leave(): void {
    this.#depth -= 1;
    if (this.#depth === 0) this.#takeAll(undefined);
  }

  /** Throws `unreadable-source` beyond what is held. */
  scalar(key: string, _kind: JsonScalarKind, text: string): void {
    if (this.#depth === 1) return void this.#facts.set(key, text);
    this.#values += 1;
    if (this.#values > VALUES_MAX) {
      throw new UserError(
        "unreadable-source",
        `cannot read this as vllm-json: want at most ${VALUES_MAX} values of requests and tokens`,
      );
    }
    if (this.#list === ERRORS) this.#errors.push(text);
    else if (this.#list === ITLS) this.#gaps.at(-1)?.push(Number(text));
    else this.#columns.get(this.#list)?.push(Number(text));
  }

  finish(truncatedAt: Rejection | undefined): readonly string[] {
    if (this.#depth > 0 || this.#documents === 0) this.#takeAll(truncatedAt);
    return [...this.rows.notes(), ...this.#notes];
  }

  /** Records the requests of a document. Throws `unreadable-source` if there are no single ones. */
  #takeAll(truncatedAt: Rejection | undefined): void {
    if (this.#column("ttfts").length === 0 || this.#errors.length === 0) {
      const why =
        truncatedAt === undefined
          ? "it has no single requests, record with --save-result --save-detailed"
          : `it is cut in front of the errors of its requests, line ${truncatedAt.line}`;
      throw new UserError("unreadable-source", `cannot read this as vllm-json: ${why}`);
    }
    const began = this.#began();
    const starts = this.#column("start_times");
    const zero = starts.reduce((least, each) => Math.min(least, each), Infinity);
    for (const at of this.#errors.keys()) {
      const start = began === undefined ? 0 : began + (starts[at] ?? zero) - zero;
      const reason = this.#take(at, start);
      if (reason !== undefined) this.#sink.reject({ ...this.reader.place, reason });
    }
    if (began === undefined) this.#notes.add(atSecondZero("neither date nor start times"));
    for (const note of this.#timestamps.zoneNotes("date")) this.#notes.add(note);
    for (const list of [...this.#columns.values(), this.#gaps, this.#errors]) list.length = 0;
    this.#facts.clear();
    this.#values = 0;
    this.#documents += 1;
  }

  /** Records a request by its index. Returns why it cannot be recorded. */
  #take(at: number, start: number): string | undefined {
    const [first, output] = [this.#column("ttfts")[at], this.#column("output_lens")[at]];
    const gaps = this.#gaps[at] ?? [];
    const summed = gaps.reduce((sum, each) => sum + each, first ?? Number.NaN);
    const latency = this.#column("latencies")[at] ?? summed;
    const reason = this.#record(this.#errors[at] ?? "", start, latency, output ?? 0);
    if (reason === undefined && !this.rows.request.hasFailed) {
      this.#measure({ first, gaps, latency, input: this.#column("input_lens")[at], output });
    }
    return reason;
  }

  #column(name: (typeof COLUMNS)[number]): readonly number[] {
    return this.#columns.get(name) ?? [];
  }

  /** UNIX time of the first request, within the second in which vLLM wrote the file; `undefined` if unknown. */
  #began(): number | undefined {
    const date = /^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)$/.exec(this.#facts.get("date") ?? "");
    if (date === null || this.#column("start_times").length === 0) return undefined;
    const [, year, month, day, ...clock] = date;
    const text = Buffer.from(`${year}-${month}-${day} ${clock.join(":")}`);
    const ended = this.#timestamps.read(text, 0, text.length);
    return ended === undefined ? undefined : ended - Number(this.#facts.get("duration") ?? 0);
  }

  #record(error: string, start: number, latency: number, output: number): string | undefined {
    const request = this.rows.begin();
    request.second = Math.max(0, Math.floor(start));
    request.hasFailed = error !== "" || output === 0;
    const micros = Math.round(latency * MICROS_PER_SECOND);
    request.isUntimed = !Number.isSafeInteger(micros) || (request.hasFailed && micros === 0);
    request.elapsedMicros = request.isUntimed ? 0 : micros;
    // Often a traceback, whose last line says what happened.
    request.message = error.trim().split("\n").at(-1) ?? "";
    const fields = {
      model_id: this.#facts.get("model_id") ?? "",
      backend: this.#facts.get("backend") ?? "",
    };
    return this.rows.record(this.rows.labelOf(fields, ALL_REQUESTS));
  }

  #measure({ first, gaps, latency, input, output = 0 }: Passed): void {
    const { rows } = this;
    const after = latency - (first ?? NaN);
    rows.measureNamed("ttft", "ms", (first ?? NaN) * MS_PER_SECOND);
    for (const gap of gaps) rows.measureNamed("itl", "ms", gap * MS_PER_SECOND);
    if (output > 1) rows.measureNamed("tpot", "ms", (after / (output - 1)) * MS_PER_SECOND);
    rows.measureNamed("input_tokens", "", input ?? NaN);
    rows.measureNamed("output_tokens", "", output);
    if (latency > 0) rows.measureNamed("output_tokens_per_second", "", output / latency);
  }
}

interface Passed {
  readonly first: number | undefined;
  readonly gaps: readonly number[];
  readonly latency: number;
  readonly input: number | undefined;
  readonly output: number | undefined;
}
