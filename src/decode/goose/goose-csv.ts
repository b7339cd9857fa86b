import type { FailureKind } from "../../model/failures.ts";
import { CsvTable, type TableReader, type TableColumns } from "../csv/csv-table.ts";
import type { DecodeOptions, Format, SampleSink } from "../decoder.ts";
import { GOOSE_LABEL_FIELDS, type GooseRequest, GooseSamples } from "./goose-samples.ts";
import { beginsWith, headText } from "../quoted.ts";
import type { TableRow } from "../csv/table-row.ts";

/** The log of `goose --request-log FILE --request-format csv`: docs/internals/formats/goose.md. */
export const gooseCsv: Format = {
  name: "goose-csv",
  needsStart: true,
  recognises: (head) => {
    if (!beginsWith(head, "elapsed,")) return false;
    const [header = ""] = headText(head).split("\n", 1);
    return header.includes(",response_time,") && header.includes(",success,");
  },
  labelFields: GOOSE_LABEL_FIELDS,
  open: (sink, options) => new CsvTable(new GooseTable(sink, options), sink, { name: "goose-csv" }),
};

class GooseTable implements TableReader {
  readonly labels: readonly string[];
  readonly failureKinds: readonly FailureKind[];
  readonly generators = [];
  readonly #samples: GooseSamples;
  #rows: GooseRows | undefined;

  constructor(sink: SampleSink, options: DecodeOptions) {
    this.#samples = new GooseSamples(sink, options);
    this.labels = this.#samples.rows.labels.texts;
    this.failureKinds = this.#samples.rows.failureKinds;
  }

  begin(columns: TableColumns): void {
    this.#rows = new GooseRows(columns);
  }

  read(row: TableRow): string | undefined {
    const request = (this.#rows as GooseRows).read(row);
    return row.complaint ?? this.#samples.take(request);
  }

  flush(): void {
    this.#samples.flush();
  }

  end(): readonly string[] {
    return this.#samples.end();
  }
}

/** Rust's debug form: `GooseRawRequest { method: Get, url: "…", …, custom_method: "" }`. */
const RAW_METHOD = /^GooseRawRequest \{ method: (\w+),/;
const CUSTOM_METHOD = /custom_method: "([^"\\]+)" \}$/;

/** Limit of cached requests. */
const METHODS_MAX = 4096;
/** Longer ones have a body and rarely repeat. */
const CACHED_LENGTH_MAX = 512;

class GooseRows {
  readonly #methods = new Map<string, string>();
  readonly #offset: number;
  readonly #raw: number;
  readonly #name: number;
  readonly #scenario: number | undefined;
  readonly #millis: number;
  readonly #status: number;
  readonly #success: number;
  readonly #update: number;
  readonly #user: number;
  readonly #error: number;
  readonly #omission: number;
  /** Since 0.19, in addition to the milliseconds. */
  readonly #micros: number | undefined;

  constructor(columns: TableColumns) {
    this.#offset = columns.require("elapsed");
    this.#raw = columns.require("raw");
    this.#name = columns.require("name");
    this.#scenario = columns.find("scenario_name");
    this.#millis = columns.require("response_time");
    this.#status = columns.require("status_code");
    this.#success = columns.require("success");
    this.#update = columns.require("update");
    this.#user = columns.require("user");
    this.#error = columns.require("error");
    this.#omission = columns.require("coordinated_omission_elapsed");
    this.#micros = columns.find("response_time_us");
  }

  /** The result is valid only without a complaint. */
  read(row: TableRow): GooseRequest {
    return {
      method: this.#method(row),
      name: row.text(this.#name),
      scenario: this.#scenario === undefined ? "" : row.text(this.#scenario),
      offsetMs: row.whole(this.#offset, "milliseconds"),
      elapsedMicros:
        this.#micros === undefined
          ? row.scaled(this.#millis, 3, "milliseconds")
          : row.whole(this.#micros, "microseconds"),
      status: row.whole(this.#status, "a status"),
      hasPassed: truth(row, this.#success),
      error: row.text(this.#error),
      user: row.whole(this.#user, "the number of a user"),
      isUpdate: truth(row, this.#update),
      isSynthetic: row.whole(this.#omission, "milliseconds") > 0,
      isFinal: this.#micros !== undefined,
    };
  }

  #method(row: TableRow): string {
    const raw = row.text(this.#raw);
    const cached = this.#methods.get(raw);
    if (cached !== undefined) return cached;
    const method = CUSTOM_METHOD.exec(raw)?.[1] ?? RAW_METHOD.exec(raw)?.[1]?.toUpperCase();
    if (method === undefined) {
      row.complain(this.#raw, "a GooseRawRequest with a method");
      return "";
    }
    if (raw.length <= CACHED_LENGTH_MAX) {
      if (this.#methods.size === METHODS_MAX) this.#methods.clear();
      this.#methods.set(raw, method);
    }
    return method;
  }
}

function truth(row: TableRow, column: number): boolean {
  const text = row.text(column);
  if (text !== "true" && text !== "false") row.complain(column, "true or false");
  return text === "true";
}
