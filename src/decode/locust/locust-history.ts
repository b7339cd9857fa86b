import { LOCUST_HISTORY } from "./about.ts";
import { SECOND_LIMIT } from "../../model/columns.ts";
import { addExactly } from "../../model/exact.ts";
import { CsvTable, type TableReader, type TableColumns } from "../csv/csv-table.ts";
import type { Format, SampleSink } from "../decoder.ts";
import { beginsWith } from "../quoted.ts";
import { RowRepairs } from "../row-repairs.ts";
import { LABEL_TOO_LONG, LabelTable, labelNotes, labelTooLong } from "../labels/label-table.ts";
import { LabelTemplate, methodLabel } from "../labels/label-template.ts";
import { CHECKED_FIGURES, type RowQuality } from "../../model/quality/row-quality.ts";
import type { TableRow } from "../csv/table-row.ts";
import type { ReportedWindow } from "../../model/reported-percentiles.ts";
import { exactProduct, shareOf } from "../bytes/exact-number.ts";
import type { SampleWindow } from "../../model/sample-batch.ts";

/** Since 1.2, in 1.0 and 1.1, and before. */
const BEGINNINGS = [
  "Timestamp,User Count,Type,Name,",
  '"Timestamp","User Count","Type","Name",',
  '"Type","Name","Timestamp","# requests",',
];

/** The `_stats_history.csv` of `locust --csv=PREFIX`: docs/internals/formats/locust.md. */
export const locustHistory: Format = {
  ...LOCUST_HISTORY,
  recognises: (head) => BEGINNINGS.some((beginning) => beginsWith(head, beginning)),
  open(sink, { labelTemplate, labels: wanted }) {
    const labels = new LabelTable(wanted);
    const template =
      labelTemplate === undefined
        ? undefined
        : new LabelTemplate(labelTemplate, LOCUST_HISTORY.labelFields);
    // Windows are handed over when their tick ends.
    const repairs = new RowRepairs();
    const rows = { labels, failureKinds: [], flush: () => undefined, repairs };
    const open = (columns: TableColumns) =>
      new LocustHistory(historyColumns(columns), { sink, labels, template, repairs });
    return new CsvTable({ name: LOCUST_HISTORY.name, rows, open }, sink);
  },
};

const SUM_LABEL = "Aggregated";

const GENERATOR = 0;

/** Percentiles of a row cover this many seconds before it, unless they cover the run so far. */
const PERCENTILE_WINDOW_SECONDS = 10;
/** Rows until percentiles are taken for those of the run. */
const HELD_MAX = 10_000;

interface Endpoint {
  readonly label: number;
  readonly counter: LocustCounter;
}

interface OpenTick {
  readonly second: number;
  readonly rows: Map<Endpoint, HistoryRow>;
}

interface HistoryTargets {
  readonly sink: SampleSink;
  readonly labels: LabelTable;
  readonly template: LabelTemplate | undefined;
  readonly repairs: RowRepairs;
}

/** Converts the totals of a history to windows between its ticks. */
class LocustHistory implements TableReader {
  readonly generators = [""];
  readonly #sink: SampleSink;
  readonly #labels: LabelTable;
  readonly #template: LabelTemplate | undefined;
  readonly #endpoints = new Map<string, Endpoint>();
  readonly #namesByLabel = new Map<number, number>();
  readonly #sum = new LocustCounter();
  readonly #columns: HistoryColumns;
  /** The open tick; its last row is the total. */
  #tick: OpenTick | undefined;
  /** Last row by label; `undefined`: total of all requests, if there are rows of single names. */
  readonly #last = new Map<number | undefined, HistoryRow>();
  /** Whether percentiles cover the last seconds: some row has another maximum than the run so far. */
  #isWindowed = false;
  #sawMaximum = false;
  /** Percentiles of rows before that is known. */
  #held: ReportedWindow[] = [];
  readonly #repairs: RowRepairs;
  /** Of the last complete tick: what its total counts, and what its names do. */
  #totals: readonly [sum: LocustTotals, names: readonly LocustTotals[]] | undefined;
  readonly #shortened = new Set<number>();
  #restarts = 0;
  #sawFailures = false;
  #sawSumAlone = false;

  constructor(columns: HistoryColumns, { sink, labels, template, repairs }: HistoryTargets) {
    this.#repairs = repairs;
    this.#columns = columns;
    this.#labels = labels;
    this.#sink = sink;
    this.#template = template;
  }

  read(row: TableRow): string | undefined {
    const read = this.#columns.read(row);
    const { second, users, isSum } = read;
    if (row.complaint !== undefined) return row.complaint;
    this.#repairs.clear();
    // Users of other protocols than HTTP have sizes of 0.
    if (read.totals.receivedBytes > 0) this.#sink.confirmSizes();
    const endpoint = isSum ? undefined : this.#endpointOf(row);
    if (endpoint !== undefined && this.#shortened.has(endpoint.label)) {
      this.#repairs.add("label-shortened", labelTooLong());
    }
    if (this.#tick !== undefined && this.#tick.second !== second) this.#close(undefined);
    this.#tick ??= { second, rows: new Map() };
    if (endpoint !== undefined) {
      this.#tick.rows.set(endpoint, read);
      return undefined;
    }
    if (users !== undefined) this.#sink.recordActiveUsers(GENERATOR, second, users);
    this.#close(read);
    return undefined;
  }

  end(): readonly string[] {
    if (this.#tick !== undefined) this.#close(undefined);
    // Rows per name have percentiles of the last seconds, unless their maximum says otherwise.
    if (!this.#sawMaximum && !this.#sawSumAlone) this.#reportHeld();
    this.#reportRun();
    return [...this.#notes(), ...labelNotes(this.#labels)];
  }

  /** Where the rows of the names do not add up to the total of their tick; `undefined` if they do. */
  get rowQuality(): Pick<RowQuality, "discrepancies"> | undefined {
    if (this.#totals === undefined) return undefined;
    const [sum, names] = this.#totals;
    const discrepancies = CHECKED_FIGURES.map((figure) => ({
      figure,
      reported: sum[figure],
      counted: names.reduce((so, each) => addExactly(so, each[figure]), 0),
    })).filter(({ reported, counted }) => reported !== counted);
    return discrepancies.length === 0 ? undefined : { discrepancies };
  }

  #endpointOf(row: TableRow): Endpoint {
    const [type, name] = this.#columns.endpoint;
    // A template, groups of URLs or the limit may give several endpoints the same label.
    const key = `${row.text(type)}\0${row.text(name)}`;
    const known = this.#endpoints.get(key);
    if (known !== undefined) return known;
    const found =
      this.#template === undefined
        ? methodLabel(this.#labels, row.contents(type), row.contents(name))
        : this.#template.indexIn(this.#labels, (field) => row.contents(field === 0 ? type : name));
    const label = found === LABEL_TOO_LONG ? this.#labels.indexOfTooLong() : found;
    if (found === LABEL_TOO_LONG) this.#shortened.add(label);
    const added = { label, counter: new LocustCounter() };
    this.#namesByLabel.set(label, (this.#namesByLabel.get(label) ?? 0) + 1);
    this.#endpoints.set(key, added);
    return added;
  }

  /** `sum` is `undefined` if the source ended before it. */
  #close(sum: HistoryRow | undefined): void {
    const { second, rows } = this.#tick as OpenTick;
    this.#tick = undefined;
    if (this.#hasRestarted(sum, rows)) this.#restart();
    for (const [endpoint, own] of rows) {
      this.#record(endpoint, own.totals, second);
      if (this.#isShared(endpoint.label)) continue;
      this.#last.set(endpoint.label, own);
      this.#reportWindow(endpoint.label, own);
    }
    if (sum === undefined) return;
    if (rows.size > 0) {
      this.#totals = [sum.totals, [...rows.values()].map(({ totals }) => totals)];
      this.#sum.advance(sum.totals);
      this.#last.set(undefined, sum);
      this.#reportWindow(undefined, sum);
    } else if (sum.totals.requests > 0) this.#recordSum(sum, second);
  }

  /** Whether several names share the label: then percentiles do not apply to it. */
  #isShared(label: number): boolean {
    return (this.#namesByLabel.get(label) ?? 0) > 1;
  }

  /** Percentiles of the last seconds, once it is known that they are not those of the run. */
  #reportWindow(label: number | undefined, row: HistoryRow): void {
    const { second, percentiles } = row;
    this.#isWindowed ||= row.isWindowed;
    if (percentiles.length > 0) {
      const window = { second, windowSeconds: PERCENTILE_WINDOW_SECONDS };
      if (this.#isWindowed || this.#held.length < HELD_MAX) {
        this.#held.push({ label, window, percentiles });
      }
    }
    this.#sawMaximum ||= percentiles.some(([quantile]) => quantile === 1);
    if (this.#isWindowed) this.#reportHeld();
  }

  #reportHeld(): void {
    this.#isWindowed = true;
    for (const reported of this.#held) this.#sink.recordPercentiles(reported);
    this.#held = [];
  }

  /** Percentiles of the whole run; none after a reset. */
  #reportRun(): void {
    if (this.#restarts > 0) return;
    for (const [label, { totals, extremes, percentiles }] of this.#last) {
      if (totals.requests === 0 || (label !== undefined && this.#isShared(label))) continue;
      const [min, max] = extremes;
      const inner = this.#isWindowed ? [] : percentiles.filter(([q]) => q > 0 && q < 1);
      const all = [[0, min] as const, ...inner, [1, max] as const];
      this.#sink.recordPercentiles({ label, window: undefined, percentiles: all });
    }
  }

  /** All counters reset together; a single one may have passed its old value. */
  #hasRestarted(sum: HistoryRow | undefined, rows: ReadonlyMap<Endpoint, HistoryRow>): boolean {
    if (sum !== undefined && this.#sum.hasRestarted(sum.totals)) return true;
    return [...rows].some(([{ counter }, own]) => counter.hasRestarted(own.totals));
  }

  #restart(): void {
    this.#restarts += 1;
    this.#sum.restart();
    for (const { counter } of this.#endpoints.values()) counter.restart();
  }

  #recordSum(sum: HistoryRow, second: number): void {
    this.#sawSumAlone = true;
    const label = this.#labels.indexOfText(SUM_LABEL);
    this.#record({ label, counter: this.#sum }, sum.totals, second);
    this.#last.set(label, sum);
    this.#reportWindow(label, sum);
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
      "the history counts requests at their end, within 1 s (3 s with workers), and ends before the run: the table that Locust prints at its end also has those of the last seconds",
      "the history holds averages per second: percentiles are those Locust reported",
    ];
    if (this.#sawSumAlone) {
      notes.push("the history has no endpoints: record with --csv-full-history");
    }
    if (this.#sawFailures) {
      notes.push("the history does not say why requests failed: Locust's _failures.csv does");
    }
    for (const { figure, reported, counted } of this.rowQuality?.discrepancies ?? []) {
      const what = figure === "requests" ? "requests" : "failed requests";
      notes.push(`${SUM_LABEL} counts ${reported} ${what}, the names ${counted}`);
    }
    if (this.#restarts > 0) {
      notes.push(`counters reset to zero, as with --reset-stats: ${this.#restarts}`);
    }
    return notes;
  }
}

/** Totals of one name or of all, at one tick. */
interface HistoryRow {
  /** At least 1. */
  readonly second: number;
  /** `undefined` before Locust 1.0. */
  readonly users: number | undefined;
  /** Whether it is the total of a tick, its last row. */
  readonly isSum: boolean;
  readonly totals: LocustTotals;
  /** Quantiles (0 to 1) and microseconds, as computed by Locust; empty before the first request. */
  readonly percentiles: ReportedWindow["percentiles"];
  /** Whether percentiles cannot be those of the run so far: there are none, or their maximum is another one. */
  readonly isWindowed: boolean;
  /** Extremes since start or reset. */
  readonly extremes: readonly [min: number, max: number];
}

const MILLIS = 3;
const MICROS_PER_MS = 1000;

interface HistoryColumns {
  /** Type of request (mostly a method) and name. */
  readonly endpoint: readonly [type: number, name: number];
  /** The result is valid only without a complaint. */
  read(row: TableRow): HistoryRow;
}

/** Throws `unreadable-source` if a column is missing. */
function historyColumns(columns: TableColumns): HistoryColumns {
  const [at, type, name] = columns.requireAll("Timestamp", "Type", "Name");
  const users = columns.find("User Count");
  const sums = [
    columns.require("Total Request Count", "# requests"),
    columns.require("Total Failure Count", "# failures"),
    columns.require("Total Average Response Time", "Average response time"),
    columns.require("Total Average Content Size", "Average Content Size"),
  ] as const;
  const min = columns.require("Total Min Response Time", "Min response time");
  const max = columns.require("Total Max Response Time", "Max response time");
  // Configurable in Locust.
  const percentiles = columns.names.flatMap((title, column) => {
    const percent = /^(\d{1,3}(?:\.\d+)?)%$/.exec(title)?.[1];
    return percent === undefined ? [] : [[Number(percent) / 100, column] as const];
  });
  return {
    endpoint: [type, name],
    read(row) {
      const second = row.whole(at, "a UNIX second");
      if (second < 1 || second >= SECOND_LIMIT) row.complain(at, "a UNIX second");
      const extremes = [sumOf(row, min, 1, MILLIS), sumOf(row, max, 1, MILLIS)] as const;
      const totals = totalsIn(row, sums);
      const found = percentilesIn(row, percentiles, extremes[0]);
      const most = found.find(([quantile]) => quantile === 1)?.[1];
      const isSumType = !row.has(type) || row.text(type) === "None";
      return {
        second,
        users: users === undefined ? undefined : row.whole(users, "a number of users"),
        isSum: isSumType && row.text(name) === SUM_LABEL,
        totals,
        percentiles: found.map(([quantile, micros]) => [quantile, clamped(micros, extremes)]),
        isWindowed:
          totals.requests > 0 &&
          (found.length === 0 || (most !== undefined && !isRounded(most, extremes[1]))),
        extremes,
      };
    },
  };
}

/** Locust rounds percentiles, so that they can exceed the maximum. */
function clamped(micros: number, [min, max]: HistoryRow["extremes"]): number {
  return Math.max(min, Math.min(max, micros));
}

/** Whether Locust rounds a time to this percentile: to two digits, from 1 ms on. */
function isRounded(percentile: number, micros: number): boolean {
  const digits = Math.max(0, Math.floor(Math.log10(micros / MICROS_PER_MS)) - 1);
  return Math.abs(percentile - micros) <= (MICROS_PER_MS * 10 ** digits) / 2;
}

function percentilesIn(
  row: TableRow,
  columns: readonly (readonly [quantile: number, column: number])[],
  minMicros: number,
): HistoryRow["percentiles"] {
  const percentiles = columns.flatMap(([quantile, column]) => {
    const micros = exactProduct(row.text(column), 1, MILLIS);
    return micros === undefined ? [] : [[quantile, micros] as const];
  });
  // Locust writes 0 without data, and for times below 0.5 ms.
  const isUnset = minMicros >= MICROS_PER_MS && percentiles.every(([, micros]) => micros === 0);
  return isUnset ? [] : percentiles;
}

function totalsIn(
  row: TableRow,
  [requestsAt, failuresAt, elapsedAt, sizeAt]: readonly [number, number, number, number],
): LocustTotals {
  const requests = row.whole(requestsAt, "a number of requests");
  const failedRequests = row.whole(failuresAt, "a number of requests");
  if (failedRequests > requests) row.complain(failuresAt, `at most the ${requests} requests`);
  return {
    requests,
    failedRequests,
    elapsedMicros: sumOf(row, elapsedAt, requests, MILLIS),
    receivedBytes: sumOf(row, sizeAt, requests, 0),
  };
}

/** Average times requests: the sum before rounding. */
function sumOf(row: TableRow, column: number, requests: number, scale: number): number {
  const sum = exactProduct(row.text(column), requests, scale);
  return sum ?? row.complain(column, "a number, with a sum below 2^53");
}

/** Totals of one name since start or reset. */
interface LocustTotals {
  readonly requests: number;
  readonly failedRequests: number;
  readonly elapsedMicros: number;
  readonly receivedBytes: number;
}

type Difference = Omit<SampleWindow, "label" | "second" | "windowSeconds">;

const NOTHING: LocustTotals = {
  requests: 0,
  failedRequests: 0,
  elapsedMicros: 0,
  receivedBytes: 0,
};

/** Converts totals to differences per tick. */
class LocustCounter {
  /** Reported since start or reset: the requests of the previous tick, and sums never above its totals. */
  #reported = NOTHING;

  /** Whether the totals imply a reset. */
  hasRestarted(totals: LocustTotals): boolean {
    return totals.requests < this.#reported.requests;
  }

  restart(): void {
    this.#reported = NOTHING;
  }

  /**
   * Difference to the previous totals; `undefined` without requests. Sums that fall by rounding add nothing
   * until they rise again, so that all differences add up to the last totals.
   */
  advance(totals: LocustTotals): Difference | undefined {
    const reported = this.#reported;
    const requests = totals.requests - reported.requests;
    if (requests === 0) return undefined;
    const elapsedMicros = Math.max(0, totals.elapsedMicros - reported.elapsedMicros);
    const receivedBytes = Math.max(0, totals.receivedBytes - reported.receivedBytes);
    const newFailures = Math.max(0, totals.failedRequests - reported.failedRequests);
    const failedRequests = Math.min(requests, newFailures);
    this.#reported = {
      requests: totals.requests,
      elapsedMicros: reported.elapsedMicros + elapsedMicros,
      receivedBytes: reported.receivedBytes + receivedBytes,
      failedRequests: reported.failedRequests + failedRequests,
    };
    return {
      requests,
      elapsedMicros,
      receivedBytes,
      failedRequests,
      failedElapsedMicros: shareOf(elapsedMicros, failedRequests, requests),
      failedReceivedBytes: shareOf(receivedBytes, failedRequests, requests),
      // The history has only sums per tick.
      minMicros: undefined,
      maxMicros: undefined,
      latencies: [],
    };
  }
}
