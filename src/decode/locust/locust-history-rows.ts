import type { ReportedWindow } from "../../model/reported-percentiles.ts";
import { exactProduct } from "../bytes/exact-number.ts";
import type { LocustTotals } from "./locust-counters.ts";
import type { TableColumns } from "../csv/csv-table.ts";
import type { TableRow } from "../csv/table-row.ts";

/** Totals of one name or of all, at one tick. */
export interface HistoryRow {
  /** At least 1. */
  readonly second: number;
  readonly users: number;
  /** Whether it is the total of a tick, its last row. */
  readonly isSum: boolean;
  readonly totals: LocustTotals;
  /** Quantiles (0 to 1) and microseconds, as computed by Locust; empty before the first request. */
  readonly percentiles: ReportedWindow["percentiles"];
  /** Extremes since start or reset. */
  readonly extremes: readonly [min: number, max: number];
}

const SUM_NAME = "Aggregated";
const SECOND_LIMIT = 2 ** 32;
const MILLIS = 3;
const MICROS_PER_MS = 1000;

export class LocustHistoryRows {
  /** Type of request (mostly a method) and name. */
  readonly endpoint: readonly [type: number, name: number];
  readonly #second: number;
  readonly #users: number;
  readonly #requests: number;
  readonly #failures: number;
  readonly #elapsed: number;
  readonly #min: number;
  readonly #max: number;
  readonly #size: number;
  readonly #percentiles: readonly (readonly [quantile: number, column: number])[];

  /** Throws `unreadable-source` if a column is missing. */
  constructor(columns: TableColumns) {
    this.#second = columns.require("Timestamp");
    this.#users = columns.require("User Count");
    this.endpoint = [columns.require("Type"), columns.require("Name")];
    this.#requests = columns.require("Total Request Count");
    this.#failures = columns.require("Total Failure Count");
    this.#elapsed = columns.require("Total Average Response Time");
    this.#min = columns.require("Total Min Response Time");
    this.#max = columns.require("Total Max Response Time");
    this.#size = columns.require("Total Average Content Size");
    // Configurable in Locust.
    this.#percentiles = columns.names.flatMap((name, column) => {
      const percent = /^(\d{1,3}(?:\.\d+)?)%$/.exec(name)?.[1];
      return percent === undefined ? [] : [[Number(percent) / 100, column] as const];
    });
  }

  /** The result is valid only without a complaint. */
  read(row: TableRow): HistoryRow {
    const second = row.whole(this.#second, "a UNIX second");
    if (second < 1 || second >= SECOND_LIMIT) row.complain(this.#second, "a UNIX second");
    const [type, name] = this.endpoint;
    const extremes = [sumOf(row, this.#min, 1, MILLIS), sumOf(row, this.#max, 1, MILLIS)] as const;
    return {
      second,
      users: row.whole(this.#users, "a number of users"),
      isSum: !row.has(type) && row.text(name) === SUM_NAME,
      totals: this.#totals(row),
      percentiles: this.#percentilesOf(row, extremes[0]),
      extremes,
    };
  }

  #percentilesOf(row: TableRow, minMicros: number): HistoryRow["percentiles"] {
    const percentiles = this.#percentiles.flatMap(([quantile, column]) => {
      const micros = exactProduct(row.text(column), 1, MILLIS);
      return micros === undefined ? [] : [[quantile, micros] as const];
    });
    // Locust writes 0 without data, and for times below 0.5 ms.
    const isUnset = minMicros >= MICROS_PER_MS && percentiles.every(([, micros]) => micros === 0);
    return isUnset ? [] : percentiles;
  }

  #totals(row: TableRow): LocustTotals {
    const requests = row.whole(this.#requests, "a number of requests");
    const failedRequests = row.whole(this.#failures, "a number of requests");
    if (failedRequests > requests) row.complain(this.#failures, `at most the ${requests} requests`);
    return {
      requests,
      failedRequests,
      elapsedMicros: sumOf(row, this.#elapsed, requests, MILLIS),
      receivedBytes: sumOf(row, this.#size, requests, 0),
    };
  }
}

/** Average times requests: the sum before rounding. */
function sumOf(row: TableRow, column: number, requests: number, scale: number): number {
  const sum = exactProduct(row.text(column), requests, scale);
  return sum ?? row.complain(column, "a number, with a sum below 2^53");
}
