import { CARRIAGE_RETURN } from "../bytes/ascii.ts";
import { JMETER_CSV } from "./about.ts";
import type { FailureKind } from "../../model/failures.ts";
import type { Role } from "../../model/role.ts";
import { ByteWindow } from "../bytes/byte-window.ts";
import { CUT_ROW, isBehindCutRow } from "../csv/csv-table.ts";
import { CsvReader, type CsvRecordHandler } from "../csv/csv-reader.ts";
import { CsvRecord, fieldCounts } from "../csv/csv-record.ts";
import type {
  DecodeEnd,
  DecodeOptions,
  Decoder,
  Format,
  LabelTexts,
  SampleSink,
} from "../decoder.ts";
import {
  type JmeterColumns,
  UNNAMED_COLUMNS,
  beginsRow,
  columnsOf,
  fieldTexts,
  hasFirstField,
  headerNames,
  holdsOutcome,
  isDelimiterLine,
  isHeader,
  isJmeterCsv,
  isRead,
  requiredDelimiterOf,
} from "./jmeter-csv-columns.ts";
import { JmeterCsvRoles, type JmeterCsvTargets } from "./jmeter-csv-roles.ts";
import { FacetedLabels } from "../labels/faceted-labels.ts";
import { JmeterExtras, JmeterMonitors } from "./jmeter-extras.ts";
import { JmeterFacets, JmeterLabel } from "./jmeter-label.ts";
import { JmeterKernel } from "./jmeter-kernel.ts";
import { JmeterMeasures } from "./jmeter-measures.ts";
import { NumberColumns } from "../measures/number-columns.ts";
import { LabelTable, labelNotes } from "../labels/label-table.ts";
import type { RowRepairs } from "../row-repairs.ts";
import { SampleRows } from "../sample-rows.ts";
import { TimestampReader } from "../bytes/timestamp.ts";
import { hasFastPath, JmeterFastRows } from "./jmeter-csv-fast.ts";
import { JmeterCsvRow } from "./jmeter-csv-row.ts";
import { atSecondZero } from "../notes.ts";

/** Larger slices leave the processor's cache before they are read. */
const SLICE_BYTES = 256 * 1024;

/** The CSV result files of JMeter, also called JTL: docs/internals/formats/jmeter.md. */
export const jmeterCsv: Format = {
  ...JMETER_CSV,
  readsTimestampFormat: true,
  recognises: isJmeterCsv,
  open: (sink, options) => new JmeterCsvDecoder(sink, options),
};

/** After this many consecutive rows of the slow path, most attempts of the fast path are skipped. */
const SLOW_ROWS_MAX = 16;
const ROWS_PASSED = 31;
const TRUTH = /^(?:true|false)$/i;

const MAYBE_CUT = "its last field may be truncated";
const utf8 = new TextDecoder();

interface Source {
  readonly reader: CsvReader;
  readonly records: JmeterCsvRecords;
}

class JmeterCsvDecoder implements Decoder {
  readonly labels: readonly string[];
  readonly labelTexts: LabelTexts;
  readonly failureKinds: readonly FailureKind[];
  readonly generators: readonly string[];
  readonly #sink: SampleSink;
  readonly #window: ByteWindow;
  readonly #targets: JmeterCsvTargets;
  /** `undefined` until the delimiter is known. */
  #source: Source | undefined;

  constructor(sink: SampleSink, options: DecodeOptions) {
    const labels = new LabelTable(options.labels, { keepsPlaces: true });
    this.labels = labels.texts;
    this.labelTexts = labels;
    const facets = new JmeterFacets(new FacetedLabels(labels, options.facets));
    this.#sink = sink;
    const extras = new JmeterExtras(sink);
    this.failureKinds = extras.failureKinds;
    this.generators = extras.generators;
    const kernel = JmeterKernel.take();
    this.#window = new ByteWindow(kernel.window);
    this.#targets = {
      kernel,
      measures: new JmeterMeasures(sink.measures, kernel),
      monitors: new JmeterMonitors(sink.measures),
      variables: new NumberColumns(sink.measures, options.facets?.names),
      rows: new SampleRows(sink, kernel.batch),
      extras,
      labels,
      facets,
      roles: new JmeterCsvRoles(labels),
      timestamps: new TimestampReader(options.timeZone, options.timestampFormat),
      kept: sink.samples,
      labelTemplate: options.labelTemplate,
    };
  }

  roleOf(label: number): Role {
    const { facets, roles } = this.#targets;
    return roles.roleOf(facets.labels.labelOf(label));
  }

  push(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
      this.#pushSlice(bytes.subarray(at, at + SLICE_BYTES));
    }
  }

  #pushSlice(bytes: Uint8Array): void {
    this.#source?.records.settle(this.#window.bytes);
    this.#window.append(bytes);
    if (this.#source === undefined && hasFirstField(this.#unread())) {
      this.#source = this.#openSource();
    }
    this.#source?.reader.read();
  }

  flush(): void {
    this.#targets.rows.flush();
    this.#targets.measures.flush();
    this.#targets.variables.flush();
    if (this.#source?.records.hasSizes === true) this.#sink.confirmSizes();
  }

  end(): DecodeEnd {
    const { reader, records } = this.#source ?? this.#openSource();
    reader.read();
    const truncatedAt = reader.end();
    this.flush();
    this.#targets.kernel.giveBack();
    return { truncatedAt, notes: records.notes() };
  }

  #openSource(): Source {
    const delimiter = requiredDelimiterOf(this.#unread());
    const record = new CsvRecord(delimiter);
    const records = new JmeterCsvRecords(delimiter, this.#targets, record);
    return { reader: new CsvReader(this.#window, record, records, this.#sink), records };
  }

  #unread(): Uint8Array {
    return this.#window.bytes.subarray(this.#window.from, this.#window.to);
  }
}

class JmeterCsvRecords implements CsvRecordHandler {
  readonly seesQuotes = true;
  /** Whether a header has had a column for sizes. */
  hasSizes = false;
  readonly #delimiter: number;
  readonly #targets: JmeterCsvTargets;
  readonly #row: JmeterCsvRow;
  /** Missing columns, in order of discovery. */
  readonly #notes = new Set<string>();
  #columns: JmeterColumns | undefined;
  #label: JmeterLabel | undefined;
  /** `undefined` if the columns rule the fast path out. */
  #fast: JmeterFastRows | undefined;
  /** Whether there are variables that may be numbers: the fast path does not read them. */
  #wantsVariables = false;
  /** Consecutive failures of the fast path. */
  #slowRows = 0;
  /** Rows to skip before the next attempt. */
  #rowsToPass = 0;
  /** Fast-path rows above the last header. */
  #fastBefore = 0;
  #headersSkipped = 0;
  /** Fields that the last row lacked: the rest of one with a line break follows. */
  #fieldsToCome = 0;

  constructor(delimiter: number, targets: JmeterCsvTargets, record: CsvRecord) {
    this.#delimiter = delimiter;
    this.#targets = targets;
    this.#row = new JmeterCsvRow(targets, record);
  }

  get repairs(): RowRepairs {
    return this.#row.samples.repairs;
  }

  get fastRecords(): number {
    return this.#fastBefore + (this.#fast?.count ?? 0);
  }

  takeFast(bytes: Uint8Array, from: number, to: number): number {
    if (this.#fast === undefined || this.#wantsVariables) return from;
    if (this.#rowsToPass > 0) {
      this.#rowsToPass -= 1;
      return from;
    }
    const next = this.#fast.read(bytes, from, to);
    this.#slowRows = next > from ? 0 : this.#slowRows + 1;
    if (next > from) this.#fieldsToCome = 0;
    if (this.#slowRows > SLOW_ROWS_MAX) this.#rowsToPass = ROWS_PASSED;
    return next;
  }

  /** Must be called before bytes move. */
  settle(bytes: Uint8Array): void {
    this.#fast?.settle(bytes);
  }

  take(record: CsvRecord, bytes: Uint8Array, start: number): string | undefined {
    this.settle(bytes);
    if (this.#columns === undefined) {
      const fields = fieldTexts(record, bytes, start);
      if (isDelimiterLine(fields)) return undefined;
      const columns = this.#useColumns(fields);
      return columns.isNamed ? undefined : this.#read(columns, record, bytes, start);
    }
    const columns = this.#columns;
    const reason = this.#read(columns, record, bytes, start);
    if (reason === undefined) {
      this.#fieldsToCome = columns.fields - record.fields;
      return undefined;
    }
    if (this.#isHeader(record, bytes, start)) {
      this.repairs.clear();
      const fields = headerNames(fieldTexts(record, bytes, start));
      if (isBehindCutRow(fields, columns.names)) return CUT_ROW;
      this.#headersSkipped += 1;
      this.#useColumns(fieldTexts(record, bytes, start));
      return undefined;
    }
    const isRest =
      this.#fieldsToCome > 0 &&
      !beginsRow(columns, record, bytes, start) &&
      !holdsOutcome(columns, record, bytes, start);
    this.#fieldsToCome -= record.fields - 1;
    return isRest ? undefined : reason;
  }

  /** JMeter ends every line: without line end, the last field must prove to be complete. */
  cutReason(record: CsvRecord, bytes: Uint8Array, start: number): string | undefined {
    const columns = this.#columns;
    if (columns === undefined) return undefined;
    if (record.fields < columns.fields) {
      return `the source ends inside a record: ${fieldCounts(record, columns.fields)}`;
    }
    const last = columns.fields - 1;
    const hasReturn = bytes[start + record.length - 1] === CARRIAGE_RETURN;
    this.#row.isCut = !hasReturn;
    if (!isRead(columns, last) && this.#label?.uses(last) !== true) return undefined;
    const isTruth =
      last === columns.success && TRUTH.test(utf8.decode(record.contents(bytes, start, last)));
    if (isTruth || hasReturn) return undefined;
    return `the source ends inside a record: no line end follows, and ${MAYBE_CUT}`;
  }

  notes(): string[] {
    const { timestamps } = this.#targets;
    const notes = [...this.#notes, ...timestamps.zoneNotes("timeStamp")];
    if (timestamps.sawTimeAlone) {
      notes.push("timeStamp has no date: these requests are at second 0");
    }
    if (this.#row.samples.hasEmptySize) {
      notes.push("some rows have no bytes: they count as 0 bytes");
    }
    if (this.#headersSkipped > 0) {
      notes.push(`header lines among the rows, used and not counted: ${this.#headersSkipped}`);
    }
    const { extras, facets, labels, monitors, variables } = this.#targets;
    return [
      ...notes,
      ...variables.notes(),
      ...monitors.notes(),
      ...extras.notes(),
      ...labelNotes(labels),
      ...facets.labels.notes(),
    ];
  }

  /** Records the row at `start`, or returns why it cannot be read. */
  #read(
    columns: JmeterColumns,
    record: CsvRecord,
    bytes: Uint8Array,
    start: number,
  ): string | undefined {
    const reason = this.#row.read(columns, bytes, start);
    if (reason !== undefined) return reason;
    if (this.#wantsVariables) {
      this.#wantsVariables = columns.variables.some((each) => this.#targets.variables.wants(each));
    } else if (this.repairs.isEmpty && !this.#row.isMonitor)
      this.#fast?.learn(this.#row, record, start);
    return undefined;
  }

  #useColumns(header: readonly string[]): JmeterColumns {
    const fields = headerNames(header);
    const columns = columnsOf(fields, this.#delimiter);
    this.#columns = columns;
    this.#fastBefore = this.fastRecords;
    const { labelTemplate } = this.#targets;
    const label =
      labelTemplate === undefined
        ? undefined
        : new JmeterLabel(labelTemplate, columns.isNamed ? fields : UNNAMED_COLUMNS);
    this.#label = label;
    this.#row.label = label;
    const isPlain = label === undefined && hasFastPath(columns);
    this.#fast = isPlain ? new JmeterFastRows(columns, this.#targets) : undefined;
    this.#wantsVariables = columns.variables.length > 0;
    if (columns.bytes !== undefined) this.hasSizes = true;
    for (const note of notesOn(columns)) this.#notes.add(note);
    return columns;
  }

  /** A header in the middle: concatenated files, perhaps with other columns. */
  #isHeader(record: CsvRecord, bytes: Uint8Array, start: number): boolean {
    const fields = headerNames(fieldTexts(record, bytes, start));
    return isHeader(fields) && fields.includes("elapsed") && fields.includes("label");
  }
}

function notesOn(columns: JmeterColumns): string[] {
  const notes: string[] = [];
  if (!columns.isNamed) {
    notes.push(`no header: the ${columns.fields} columns were read in JMeter's default order`);
  }
  if (columns.timeStamp === undefined) notes.push(atSecondZero("no timeStamp column"));
  if (columns.bytes === undefined) notes.push("no bytes column: response sizes are unknown");
  if (columns.success === undefined && columns.errorCount === undefined) {
    notes.push("no success column: no request counts as failed");
  }
  return notes;
}
