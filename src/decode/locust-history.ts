import { CsvTable, type TableReader } from "./csv-table.ts";
import { type DecodeOptions, type Format, LABEL_BYTES_MAX, type SampleSink } from "./decoder.ts";
import { beginsWith } from "./head-text.ts";
import { labelNotes } from "./label-notes.ts";
import { LABEL_TOO_LONG, LabelTable } from "./label-table.ts";
import { LabelTemplate } from "./label-template.ts";
import { LocustCounter, type LocustTotals } from "./locust-counters.ts";
import { LocustHistoryRows } from "./locust-history-rows.ts";
import { methodLabel } from "./method-label.ts";
import type { TableColumns } from "./table-columns.ts";
import type { TableRow } from "./table-row.ts";

/** What a label template may name: the columns that tell a row's endpoint. */
const LABEL_FIELDS = ["Type", "Name"];

/** The `_stats_history.csv` of `locust --csv=PREFIX`: docs/formats/locust.md. */
export const locustHistory: Format = {
  name: "locust-history",
  recognises: (head) => beginsWith(head, "Timestamp,User Count,Type,Name,"),
  labelFields: LABEL_FIELDS,
  open: (sink, options) =>
    new CsvTable(new LocustHistory(sink, options), sink, { name: "locust-history" }),
};

/** The label where the history holds no single names. */
const SUM_LABEL = "Aggregated";
const TOO_LONG = `the label is too long: want at most ${LABEL_BYTES_MAX} bytes`;
const GENERATOR = 0;

/** One row of every tick, as told by its type and name. */
interface Endpoint {
  readonly label: number;
  readonly counter: LocustCounter;
}

interface OpenTick {
  readonly second: number;
  readonly totals: Map<Endpoint, LocustTotals>;
}

/** Tells the windows between the ticks of a history, which holds totals since the beginning. */
class LocustHistory implements TableReader {
  readonly labels: readonly string[];
  readonly failureKinds = [];
  readonly generators = [""];
  readonly #sink: SampleSink;
  readonly #labels: LabelTable;
  readonly #template: LabelTemplate | undefined;
  readonly #endpoints = new Map<string, Endpoint>();
  readonly #sum = new LocustCounter();
  #rows: LocustHistoryRows | undefined;
  /** The tick whose rows are being read; its last row is their sum. */
  #tick: OpenTick | undefined;
  #restarts = 0;
  #sawFailures = false;
  #sawSumAlone = false;

  constructor(sink: SampleSink, { labelTemplate, labels }: DecodeOptions) {
    this.#labels = new LabelTable(labels);
    this.#sink = sink;
    if (labelTemplate !== undefined) {
      this.#template = new LabelTemplate(labelTemplate, LABEL_FIELDS);
    }
    this.labels = this.#labels.texts;
  }

  begin(columns: TableColumns): void {
    this.#rows = new LocustHistoryRows(columns);
  }

  read(row: TableRow): string | undefined {
    const rows = this.#rows as LocustHistoryRows;
    const { second, users, isSum, totals } = rows.read(row);
    if (row.complaint !== undefined) return row.complaint;
    const endpoint = isSum ? undefined : this.#endpointOf(row, rows);
    if (endpoint?.label === LABEL_TOO_LONG) return TOO_LONG;
    if (this.#tick !== undefined && this.#tick.second !== second) this.#close(undefined);
    this.#tick ??= { second, totals: new Map() };
    if (endpoint !== undefined) {
      this.#tick.totals.set(endpoint, totals);
      return undefined;
    }
    this.#sink.recordActiveUsers(GENERATOR, second, users);
    this.#close(totals);
    return undefined;
  }

  flush(): void {
    // Windows are handed over when their tick ends.
  }

  end(): readonly string[] {
    if (this.#tick !== undefined) this.#close(undefined);
    return [...this.#notes(), ...labelNotes(this.#labels)];
  }

  #endpointOf(row: TableRow, { endpoint: [type, name] }: LocustHistoryRows): Endpoint {
    // A template may give several of them the same label.
    const key = `${row.text(type)}\0${row.text(name)}`;
    const known = this.#endpoints.get(key);
    if (known !== undefined) return known;
    const label =
      this.#template === undefined
        ? methodLabel(this.#labels, row.contents(type), row.contents(name))
        : this.#template.indexIn(this.#labels, (field) => row.contents(field === 0 ? type : name));
    const added = { label, counter: new LocustCounter() };
    this.#endpoints.set(key, added);
    return added;
  }

  /** Ends the tick; `sum` is `undefined` where the source ended before its last row. */
  #close(sum: LocustTotals | undefined): void {
    const { second, totals } = this.#tick as OpenTick;
    this.#tick = undefined;
    if (this.#hasRestarted(sum, totals)) this.#restart();
    for (const [endpoint, own] of totals) this.#record(endpoint, own, second);
    if (sum === undefined) return;
    if (totals.size > 0) this.#sum.advance(sum);
    else if (sum.requests > 0) this.#recordSum(sum, second);
  }

  /** All counters begin anew together; one alone may already have passed where it was before. */
  #hasRestarted(
    sum: LocustTotals | undefined,
    totals: ReadonlyMap<Endpoint, LocustTotals>,
  ): boolean {
    if (sum !== undefined && this.#sum.hasRestarted(sum)) return true;
    return [...totals].some(([{ counter }, own]) => counter.hasRestarted(own));
  }

  #restart(): void {
    this.#restarts += 1;
    this.#sum.restart();
    for (const { counter } of this.#endpoints.values()) counter.restart();
  }

  #recordSum(sum: LocustTotals, second: number): void {
    this.#sawSumAlone = true;
    const label = this.#labels.indexOfText(SUM_LABEL);
    this.#record({ label, counter: this.#sum }, sum, second);
  }

  #record({ label, counter }: Endpoint, totals: LocustTotals, second: number): void {
    const difference = counter.advance(totals);
    if (difference === undefined) return;
    if (difference.failedRequests > 0) this.#sawFailures = true;
    this.#sink.recordWindow({ label, second, windowSeconds: 1, ...difference });
  }

  #notes(): string[] {
    if (this.#labels.texts.length === 0) return [];
    const notes = [
      "the history counts requests when they ended, to 1 s (with workers to 3 s); those of the run's last second may be missing",
      "the history holds averages of each second: percentiles are those of the averages",
    ];
    if (this.#sawSumAlone) {
      notes.push("the history holds no single endpoints: record with --csv-full-history");
    }
    if (this.#sawFailures) {
      notes.push("the history does not say why requests failed: Locust's _failures.csv does");
    }
    if (this.#restarts > 0) {
      notes.push(`counters that began again from zero, as with --reset-stats: ${this.#restarts}`);
    }
    return notes;
  }
}
