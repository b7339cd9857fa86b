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
  #readRow: (row: TableRow) => GooseRequest = beforeHeader;

  constructor(sink: SampleSink, options: DecodeOptions) {
    this.#samples = new GooseSamples(sink, options);
    this.labels = this.#samples.rows.labels.texts;
    this.failureKinds = this.#samples.rows.failureKinds;
  }

  begin(columns: TableColumns): void {
    this.#readRow = rowReader(columns);
  }

  read(row: TableRow): string | undefined {
    const request = this.#readRow(row);
    return row.complaint ?? this.#samples.take(request);
  }

  flush(): void {
    this.#samples.rows.flush();
  }

  end(): readonly string[] {
    const notes = [...this.#samples.notes(), ...this.#samples.rows.notes()];
    this.flush();
    return notes;
  }
}

function beforeHeader(): never {
  throw new Error("BUG: a row before the header");
}

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
  /** Since 0.19, in addition to the milliseconds. */
  const micros = columns.find("response_time_us");
  const methods = new Map<string, string>();
  return (row) => ({
    method: methodIn(row, raw, methods),
    name: row.text(name),
    scenario: scenario === undefined ? "" : row.text(scenario),
    offsetMs: row.whole(offset, "milliseconds"),
    elapsedMicros:
      micros === undefined
        ? row.scaled(millis, 3, "milliseconds")
        : row.whole(micros, "microseconds"),
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
