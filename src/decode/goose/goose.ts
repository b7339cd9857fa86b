import { CsvTable, type TableColumns, type TableReader } from "../csv/csv-table.ts";
import type { TableRow } from "../csv/table-row.ts";
import type { DecodeOptions, Format, SampleSink } from "../decoder.ts";
import { JsonFields } from "../json/json-fields.ts";
import { RunClock, noSizes, toFirstByte } from "../notes.ts";
import { beginsWith, headText, quoted } from "../quoted.ts";
import { RequestRows, lineDecoder, startAt } from "../requests/request-rows.ts";
import { GOOSE_CSV, GOOSE_JSON } from "./about.ts";

/** The log of `goose --request-log FILE --request-format csv`. */
export const gooseCsv: Format = {
  ...GOOSE_CSV,
  recognises: (head) => {
    if (!beginsWith(head, "elapsed,")) return false;
    const [header = ""] = headText(head).split("\n", 1);
    return header.includes(",response_time,") && header.includes(",success,");
  },
  open(sink, options) {
    const samples = new GooseSamples(sink, options);
    const { rows } = samples;
    const open = (columns: TableColumns): TableReader => {
      const readRow = rowReader(columns);
      return {
        read(row) {
          const request = readRow(row);
          return row.complaint ?? samples.take(request);
        },
        end: () => [...samples.finish(), ...rows.notes()],
      };
    };
    return new CsvTable({ name: "goose-csv", rows, open }, sink);
  },
};

/** What the returned function returns is valid only if the row has no complaint. */
function rowReader(columns: TableColumns): (row: TableRow) => GooseRequest {
  const [offset, raw, name, millis, status] = columns.requireAll(
    "elapsed",
    "raw",
    "name",
    "response_time",
    "status_code",
  );
  const [success, update, user, error, omission] = columns.requireAll(
    "success",
    "update",
    "user",
    "error",
    "coordinated_omission_elapsed",
  );
  const scenario = columns.find("scenario_name");
  const url = columns.find("final_url");
  /** Since 0.19, in addition to the milliseconds. */
  const micros = columns.find("response_time_us");
  const methods = new Map<string, string>();
  return (row) => ({
    method: methodIn(row, raw, methods),
    name: row.text(name),
    url: url === undefined ? "" : row.text(url),
    scenario: scenario === undefined ? "" : row.text(scenario),
    offsetMs: row.whole(offset, "milliseconds"),
    elapsedMicros:
      micros === undefined
        ? row.known("time-unknown", millis, 3, "milliseconds")
        : row.known("time-unknown", micros, 0, "microseconds"),
    status: row.whole(status, "a status"),
    hasPassed: truth(row, success),
    error: row.text(error),
    user: row.whole(user, "the number of a user"),
    isUpdate: truth(row, update),
    isSynthetic: row.whole(omission, "milliseconds") > 0,
    isFinal: micros !== undefined,
  });
}

/** Rust's debug form: `GooseRawRequest { method: Get, url: "…", …, custom_method: "" }`. */
const RAW_METHOD = /^GooseRawRequest \{ method: (\w+),/;
const CUSTOM_METHOD = /custom_method: "([^"\\]+)" \}$/;

/** Limit of cached requests. */
const METHODS_MAX = 4096;
/** Longer ones have a body and rarely repeat. */
const CACHED_LENGTH_MAX = 512;

function methodIn(row: TableRow, column: number, cache: Map<string, string>): string {
  const raw = row.text(column);
  const cached = cache.get(raw);
  if (cached !== undefined) return cached;
  const method = CUSTOM_METHOD.exec(raw)?.[1] ?? RAW_METHOD.exec(raw)?.[1]?.toUpperCase();
  if (method === undefined) {
    row.complain(column, "a GooseRawRequest with a method");
    return "";
  }
  if (raw.length <= CACHED_LENGTH_MAX) {
    if (cache.size === METHODS_MAX) cache.clear();
    cache.set(raw, method);
  }
  return method;
}

function truth(row: TableRow, column: number): boolean {
  const text = row.text(column);
  if (text !== "true" && text !== "false") row.complain(column, "true or false");
  return text === "true";
}

const MICROS_PER_MS = 1000;

/** Since 0.19, in addition to the milliseconds. */
const FRACTION = "response_time_fraction_us";

/** The log of `goose --request-log FILE`, lines of JSON. */
export const gooseJson: Format = {
  ...GOOSE_JSON,
  recognises: (head) => {
    const [line = ""] = headText(head).split("\n", 1);
    return line.startsWith("{") && SIGNS.every((sign) => line.includes(sign));
  },
  open(sink, options) {
    const samples = new GooseSamples(sink, options);
    const lines = {
      rows: samples.rows,
      take(bytes: Buffer, from: number, to: number) {
        const request = readGooseLine(bytes.toString("utf8", from, to));
        return typeof request === "string" ? request : samples.take(request);
      },
      isWhole: (bytes: Buffer, from: number, to: number) =>
        JsonFields.parse(bytes.toString("utf8", from, to)) !== undefined,
      notes: () => samples.finish(),
    };
    return lineDecoder(lines, sink);
  },
};

/** In any order, which differs by version. Goose's other logs lack at least one of these. */
const SIGNS = ['"elapsed":', '"response_time":', '"success":', '"raw":', '"update":'];

/** Returns the request, or why the line cannot be read. */
function readGooseLine(text: string): GooseRequest | string {
  const fields = JsonFields.parse(text);
  if (fields === undefined) return `got ${quoted(text)}, want a JSON object`;
  const raw = fields.object("raw");
  const fraction = fields.has(FRACTION) ? fields.whole(FRACTION) : 0;
  const elapsedMicros = (fields.wholeIfKnown("response_time") ?? NaN) * MICROS_PER_MS + fraction;
  const request = {
    method: methodOf(raw),
    name: fields.text("name"),
    url: fields.textIfKnown("final_url"),
    scenario: fields.has("scenario_name") ? fields.text("scenario_name") : "",
    offsetMs: fields.whole("elapsed"),
    elapsedMicros: Number.isSafeInteger(elapsedMicros) ? elapsedMicros : undefined,
    status: fields.whole("status_code"),
    hasPassed: fields.truth("success"),
    error: fields.text("error"),
    user: fields.whole("user"),
    isUpdate: fields.truth("update"),
    isSynthetic: fields.whole("coordinated_omission_elapsed") > 0,
    isFinal: fields.has(FRACTION),
  };
  const complaint = fields.complaint ?? raw.complaint;
  return complaint ?? request;
}

/** Rust writes `Get`; unknown methods have a field of their own. */
function methodOf(raw: JsonFields): string {
  const custom = raw.has("custom_method") ? raw.text("custom_method") : "";
  return custom === "" ? raw.text("method").toUpperCase() : custom;
}

interface GooseRequest {
  readonly method: string;
  readonly name: string;
  /** After redirects. */
  readonly url: string;
  readonly scenario: string;
  /** Start in ms since the start of the run. */
  readonly offsetMs: number;
  /** `undefined` if it cannot be read. */
  readonly elapsedMicros: number | undefined;
  /** 0 without a response. */
  readonly status: number;
  readonly hasPassed: boolean;
  readonly error: string;
  /** A user makes one request at a time. */
  readonly user: number;
  /** Whether it corrects the outcome of an earlier line. */
  readonly isUpdate: boolean;
  /** Whether Goose generated it to correct coordinated omission. */
  readonly isSynthetic: boolean;
  /** Whether its version (0.19) writes no corrections. */
  readonly isFinal: boolean;
}

const NANOS_PER_MS = 1_000_000;
const UNTIMED = "cannot read response_time: want milliseconds, below 2^53 microseconds";

/** Records each request once, with its last outcome. */
class GooseSamples {
  readonly rows: RequestRows;
  readonly #clock: RunClock;
  /** Last request of each user, which can still be corrected. */
  readonly #open = new Map<number, GooseRequest>();
  #synthetic = 0;
  #corrected = 0;
  #sawFinal = false;

  constructor(sink: SampleSink, options: DecodeOptions) {
    this.rows = new RequestRows(sink, options, GOOSE_CSV.labelFields);
    this.#clock = new RunClock(options.startedAtMs);
  }

  /** Returns why a line cannot be recorded. */
  take(request: GooseRequest): string | undefined {
    if (request.isSynthetic) {
      this.#synthetic += 1;
      return undefined;
    }
    if (request.isUpdate) return this.#correct(request);
    if (request.isFinal) {
      this.#sawFinal = true;
      return this.#record(request);
    }
    // The request is recorded later: what is wrong with its line is reported now.
    startAt(this.rows.begin(), this.#startMicros(request));
    const { startComplaint } = this.rows;
    if (startComplaint !== undefined) return startComplaint;
    this.#settle(request.user);
    this.#open.set(request.user, request);
    // Settling uses the row for the request before.
    this.rows.begin();
    if (request.elapsedMicros === undefined) this.rows.untime(UNTIMED);
    this.rows.storable(this.#labelOf(request));
    return undefined;
  }

  /** Must be called at the end: records the requests that can no longer be corrected. */
  finish(): readonly string[] {
    for (const user of this.#open.keys()) this.#settle(user);
    if (this.rows.count === 0) return [];
    return [
      ...this.#clock.notes("Goose"),
      toFirstByte("Goose"),
      noSizes("Goose"),
      ...this.#outcomeNotes(),
    ];
  }

  #correct(request: GooseRequest): string | undefined {
    const open = this.#open.get(request.user);
    if (open?.offsetMs !== request.offsetMs || open.name !== request.name) {
      return "the row corrects a request (update) that is not the last one of its user";
    }
    this.#corrected += 1;
    this.#open.set(request.user, request);
    return undefined;
  }

  #settle(user: number): void {
    const request = this.#open.get(user);
    if (request === undefined) return;
    this.#open.delete(user);
    this.#record(request);
    this.rows.repairs.clear();
  }

  #record(request: GooseRequest): string | undefined {
    const { elapsedMicros, hasPassed, status, error } = request;
    const row = this.rows.begin();
    startAt(row, this.#startMicros(request));
    const { method, url, user } = request;
    this.rows.details = () => ({ method, url, thread: `${user}` });
    if (elapsedMicros === undefined) this.rows.untime(UNTIMED);
    else row.elapsedMicros = elapsedMicros;
    row.hasFailed = !hasPassed;
    if (!hasPassed) {
      row.code = status === 0 ? "" : `${status}`;
      row.message = error;
    }
    const facets = this.rows.facets.setBy(["scenario"], (name) =>
      name === "scenario" ? request.scenario : "",
    );
    return this.rows.record(this.#labelOf(request), facets);
  }

  #startMicros({ offsetMs }: GooseRequest): number {
    return this.#clock.microsAt(offsetMs * NANOS_PER_MS);
  }

  #labelOf({ method, name, scenario }: GooseRequest): number {
    return this.rows.labelOf({ method, name, scenario_name: scenario }, `${method} ${name}`);
  }

  #outcomeNotes(): string[] {
    const notes: string[] = [];
    if (this.#synthetic > 0) {
      notes.push(`rows added to correct for coordinated omission, not counted: ${this.#synthetic}`);
    }
    if (this.#corrected > 0) {
      notes.push(`rows that correct an earlier row, applied to it: ${this.#corrected}`);
    }
    if (this.#sawFinal) {
      notes.push(
        "this version of Goose does not log failures that a test sets itself (set_failure): they count as passed",
      );
    }
    return notes;
  }
}
