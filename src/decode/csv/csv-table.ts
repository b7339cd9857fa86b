import { COMMA, LINE_FEED } from "../bytes/ascii.ts";
import { UserError } from "../../model/errors.ts";
import { isDigit } from "../bytes/exact-number.ts";
import { ByteWindow } from "../bytes/byte-window.ts";
import { CsvReader, type CsvRecordHandler } from "./csv-reader.ts";
import { CsvRecord, fieldCounts } from "./csv-record.ts";
import type { DecodeEnd, Decoder, LabelTexts, SampleSink } from "../decoder.ts";
import { TableRow } from "./table-row.ts";
import { quoted } from "../quoted.ts";
import type { RowRepairs } from "../row-repairs.ts";
import type { WindowParts } from "../window-decoder.ts";

export interface Table extends Pick<WindowParts, "rows"> {
  readonly rows: WindowParts["rows"] & { readonly repairs?: RowRepairs | undefined };
  /** Of the format, for errors. */
  readonly name: string;
  /** @default a comma */
  delimiterOf?(firstLine: string): number;
  /** Called with the header. Throws `unreadable-source` if a required column is missing. */
  open(columns: TableColumns): TableReader;
}

export interface TableReader {
  /** Load generators so far. @default none */
  readonly generators?: readonly string[] | undefined;
  /** Reads a row. `areTimesKnown`: whether its numbers are at their places. Returns why it cannot be read. */
  read(row: TableRow, areTimesKnown?: boolean): string | undefined;
  /** Checks a last row without line end, and records nothing. Returns why it may be incomplete. Absent: such a row is truncated. */
  readonly check?: ((row: TableRow) => string | undefined) | undefined;
  /** How rows with the wrong number of fields are read. Absent: they are rejected. */
  readonly ragged?: RaggedRows | undefined;
  /** Records what waited for the end. Returns notes. */
  end(): readonly string[];
  /** What the source itself says; read after `end`. @default nothing */
  readonly rowQuality?: WindowParts["rowQuality"];
}

interface RaggedRows {
  /** Columns of free text, which may have unquoted delimiters. */
  readonly texts: readonly number[];
  /** Column of the outcome, which must be there. @default none: every request has passed */
  readonly outcome: number | undefined;
  /** What the row says, if it is plausible; records nothing. */
  fit(row: TableRow): RaggedFit | undefined;
}

interface RaggedFit {
  readonly hasFailed: boolean;
  readonly elapsedMicros: number;
  /** Whether all of it can be read, and no part of its label may be one of a number beside it. */
  readonly isWhole: boolean;
}

const HEADER_BYTES_MAX = 64 * 1024;
/** A row with at least as many names of columns is a header. */
const NAMES_MIN = 2;
/** Why a row is rejected where `isBehindCutRow`. */
export const CUT_ROW = "the row was cut: a header line follows in it";
const OTHER_COLUMNS =
  "it follows a header whose columns differ from those of the first line: import these rows as a separate file";

/** Decodes CSV with a header. Repeated headers are skipped: concatenated files. Rows behind a header with other columns are rejected. */
export class CsvTable implements Decoder {
  readonly labels: readonly string[];
  readonly labelTexts: LabelTexts;
  readonly failureKinds: Decoder["failureKinds"];
  readonly #table: Table;
  readonly #sink: SampleSink;
  readonly #window = new ByteWindow();
  /** `undefined` until the first line tells the delimiter. */
  #source: { readonly reader: CsvReader; readonly records: TableRecords } | undefined;

  constructor(table: Table, sink: SampleSink) {
    this.labels = table.rows.labels.texts;
    this.labelTexts = table.rows.labels;
    this.failureKinds = table.rows.failureKinds;
    this.#table = table;
    this.#sink = sink;
  }

  get generators(): readonly string[] {
    return this.#source?.records.reader?.generators ?? [];
  }

  push(chunk: Uint8Array): void {
    this.#window.append(chunk);
    if (this.#source === undefined && !this.#hasFirstLine()) return;
    this.#source ??= this.#openSource();
    this.#source.reader.read();
  }

  flush(): void {
    this.#table.rows.flush();
  }

  end(): DecodeEnd {
    const { reader, records } = this.#source ?? this.#openSource();
    reader.read();
    const truncatedAt = reader.end();
    const notes = records.end();
    this.flush();
    const rowQuality = records.reader?.rowQuality;
    return { truncatedAt, notes, ...(rowQuality && { quality: rowQuality }) };
  }

  #hasFirstLine(): boolean {
    const { bytes, from, to } = this.#window;
    return to - from >= HEADER_BYTES_MAX || bytes.indexOf(LINE_FEED, from) < to;
  }

  #openSource(): { readonly reader: CsvReader; readonly records: TableRecords } {
    const { bytes, from, to } = this.#window;
    const head = bytes.toString("utf8", from, Math.min(to, from + HEADER_BYTES_MAX));
    const [firstLine = ""] = head.split("\n", 1);
    const record = new CsvRecord(this.#table.delimiterOf?.(firstLine) ?? COMMA);
    const records = new TableRecords(this.#table, record);
    return { reader: new CsvReader(this.#window, record, records, this.#sink), records };
  }
}

class TableRecords implements CsvRecordHandler {
  /** `undefined` before the header. */
  reader: TableReader | undefined;
  readonly repairs: RowRepairs | undefined;
  #names: readonly string[] = [];
  readonly #table: Table;
  readonly #row: TableRow;
  #headersSkipped = 0;
  /** Whether the last header has other columns than the first. */
  #hasOtherColumns = false;

  constructor(table: Table, record: CsvRecord) {
    this.#table = table;
    this.repairs = table.rows.repairs;
    this.#row = new TableRow(record, this.repairs);
  }

  take(record: CsvRecord, bytes: Uint8Array, start: number): string | undefined {
    const row = this.#row;
    row.begin(this.#names, bytes, start);
    if (this.reader === undefined) {
      this.#names = row.texts();
      this.reader = this.#table.open(new TableColumns(this.#names, this.#table.name));
      return undefined;
    }
    const isRagged = record.fields !== this.#names.length;
    const mayBeHeader =
      isRagged || this.#beginsWithName(row, bytes[start]) || row.text(1) === this.#names[1];
    if (mayBeHeader && this.#isHeader(row)) {
      const isBehind = isBehindCutRow(row.texts(), this.#names);
      this.#hasOtherColumns = !isBehind && !areEqual(row.texts(), this.#names);
      if (isBehind) return CUT_ROW;
      this.#headersSkipped += 1;
      return undefined;
    }
    if (this.#hasOtherColumns) return OTHER_COLUMNS;
    return isRagged ? this.#readRagged(this.reader, record, bytes, start) : this.reader.read(row);
  }

  /** Most rows begin with a digit: their text need not be decoded. */
  #beginsWithName(row: TableRow, first: number | undefined): boolean {
    return !isDigit(first) && this.#names.includes(row.text(0));
  }

  #isHeader(row: TableRow): boolean {
    const named = row.texts().filter((text) => text !== "" && this.#names.includes(text));
    return named.length >= NAMES_MIN;
  }

  /** Returns why not even the outcome of the row can be read. */
  #readRagged(
    reader: TableReader,
    record: CsvRecord,
    bytes: Uint8Array,
    start: number,
  ): string | undefined {
    const [names, row] = [this.#names, this.#row];
    const reason = fieldCounts(record, names.length);
    const { ragged } = reader;
    if (ragged === undefined) return reason;
    const isShort = record.fields < names.length;
    const fits = (isShort ? [Infinity] : ragged.texts).flatMap((wide) => {
      row.begin(names, bytes, start, wide);
      if (ragged.outcome !== undefined && !row.has(ragged.outcome)) return [];
      const fit = ragged.fit(row);
      return fit === undefined ? [] : [{ ...fit, wide }];
    });
    const whole = fits.filter(({ isWhole }) => isWhole);
    const [fit, ...others] = whole.length > 0 ? whole : fits;
    if (fit === undefined || others.some(({ hasFailed }) => hasFailed !== fit.hasFailed)) {
      return reason;
    }
    const isAgreed = others.every(({ elapsedMicros }) => elapsedMicros === fit.elapsedMicros);
    row.begin(names, bytes, start, fit.wide);
    const unread = reader.read(row, isShort || (fit.isWhole && isAgreed));
    if (unread === undefined) this.repairs?.add("fields-misplaced", reason);
    return unread;
  }

  cutReason(record: CsvRecord, bytes: Uint8Array, start: number): string | undefined {
    if (this.reader === undefined) return undefined;
    const { check } = this.reader;
    if (check === undefined) return "the source ends inside a line";
    const wanted = this.#names.length;
    this.#row.begin(this.#names, bytes, start);
    const reason = record.fields === wanted ? check(this.#row) : fieldCounts(record, wanted);
    return reason === undefined ? undefined : `the source ends inside a row: ${reason}`;
  }

  end(): readonly string[] {
    if (this.reader === undefined) {
      throw new UserError(
        "unreadable-source",
        `cannot read this as ${this.#table.name}: it has no header line`,
      );
    }
    const notes = [...this.reader.end()];
    if (this.#headersSkipped > 0) {
      notes.push(`header lines among the rows, not counted: ${this.#headersSkipped}`);
    }
    return notes;
  }
}

/** Whether a line ends with the header, in the middle of a row. */
export function isBehindCutRow(texts: readonly string[], header: readonly string[]): boolean {
  const [firstName = "", ...names] = header;
  const [joined = "", ...others] = texts.slice(-header.length);
  const isLonger = texts.length > header.length || joined !== firstName;
  return isLonger && joined.endsWith(firstName) && areEqual(others, names);
}

function areEqual(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((text, index) => text === right[index]);
}

export class TableColumns {
  readonly names: readonly string[];
  readonly #format: string;

  /** `format`: its name for errors. */
  constructor(names: readonly string[], format: string) {
    this.names = names;
    this.#format = format;
  }

  /** Index of the first column of that name. */
  find(name: string): number | undefined {
    const index = this.names.indexOf(name);
    return index < 0 ? undefined : index;
  }

  /** The columns of these names, in this order. Throws `unreadable-source`. */
  requireAll<Names extends readonly string[]>(
    ...names: Names
  ): { readonly [Place in keyof Names]: number } {
    return names.map((name) => this.require(name)) as { [Place in keyof Names]: number };
  }

  /** First column of one of the names. Throws `unreadable-source`. */
  require(...names: readonly string[]): number {
    const index = this.names.findIndex((name) => names.includes(name));
    if (index >= 0) return index;
    const [only] = names;
    const wanted =
      names.length === 1 ? `no ${only} column` : `none of the columns ${names.join(", ")}`;
    throw new UserError(
      "unreadable-source",
      `cannot read this as ${this.#format}: the header has ${wanted}, got ${quoted(this.names.join(" "))}`,
    );
  }
}
