import { grown } from "../model/columns.ts";
import type { ImportReport } from "../model/import-report.ts";
import type { DataPoints, MeasurementBatch } from "../model/data-points.ts";
import { factsOf, secondsIn } from "../model/point-facts.ts";
import { NO_MEASURES, type UnstoredValues } from "../model/measures/measure-table.ts";
import { addUnstored } from "../model/measures/merge-measures.ts";
import { unstoredText } from "../model/measures/series-limits.ts";
import { choiceIn, derivedRole, isShown, type StoredRole, STORED_ROLES } from "../model/role.ts";
import { FACETS_BEGIN, labelOfSeries } from "../model/series/facets.ts";
import type { OverflowLabels } from "./overflow-labels.ts";
import { noteOnSessions, SESSION_GAP_SECONDS, Sessions } from "./sessions.ts";

/** Summarises the points of an import by label and time. */
export class ImportSpan {
  /** By label: 1 plus the index in `STORED_ROLES` of its strongest role; 0 without points. */
  #role = new Uint8Array(64);
  /** Of rows with the strongest role, which is final. */
  readonly #strongest: RowCounts = { rows: 0, failed: 0 };
  /** Of all others, by label. */
  readonly #weaker = new Map<number, RowCounts>();
  /** Of the last batch, which has those of all. */
  #labels: readonly string[] = [];
  #used = 0;
  #from: number | undefined;
  #until: number | undefined;
  /** Values of measures. */
  unstored: UnstoredValues = NO_MEASURES.unstored;
  readonly #sessions = new Sessions(SESSION_GAP_SECONDS);

  addUnplaced(values: number): void {
    this.unstored = { ...this.unstored, series: this.unstored.series + values };
  }

  add({ points, roles, measures, labels }: ImportedBatch): void {
    this.#labels = labels ?? [];
    if (measures !== undefined) this.unstored = addUnstored([this.unstored, measures.unstored]);
    const { runs } = factsOf(points);
    const areAllShown = roles?.every(isShown) ?? true;
    const shown: [from: number, until: number][] = areAllShown ? [[0, points.second.length]] : [];
    for (let run = 0; run < runs.requests.length; run++) {
      const [from, until] = [runs.from[run] as number, runs.from[run + 1] as number];
      const label = points.endpoint[from] as number;
      const role = roles?.[label] ?? "request";
      const counts = this.#use(label, 1 + STORED_ROLES.indexOf(role));
      counts.rows += runs.requests[run] as number;
      counts.failed += runs.failedRequests[run] as number;
      if (!areAllShown && isShown(role)) shown.push([from, until]);
    }
    this.#addSeconds(points, shown);
  }

  #addSeconds(points: DataPoints, ranges: readonly (readonly [number, number])[]): void {
    const { firstSecond, lastSecond } = secondsIn(points, ranges);
    if (firstSecond === undefined || lastSecond === undefined) return;
    this.#from = Math.min(this.#from ?? Infinity, firstSecond);
    this.#until = Math.max(this.#until ?? 0, lastSecond);
    if (lastSecond - firstSecond < SESSION_GAP_SECONDS) {
      // There is no room for a pause.
      this.#sessions.add(firstSecond);
      this.#sessions.add(lastSecond);
    } else {
      for (const range of ranges) {
        for (const at of points.second.subarray(...range)) if (at !== 0) this.#sessions.add(at);
      }
    }
  }

  /** Returns what counts the rows of a label that have this role. */
  #use(label: number, role: number): RowCounts {
    if (label >= this.#role.length) this.#role = grown(this.#role, label + 1);
    const before = this.#role[label] as number;
    if (before === 0) this.#used += 1;
    this.#role[label] = Math.max(before, role);
    if (role === STORED_ROLES.length) return this.#strongest;
    const counts = this.#weaker.get(label) ?? { rows: 0, failed: 0 };
    this.#weaker.set(label, counts);
    return counts;
  }

  /** Notes for the reader of the statistics. */
  notes(): readonly string[] {
    const unstored = unstoredText(this.unstored);
    return [...noteOnSessions(this.#sessions), ...(unstored === undefined ? [] : [unstored])];
  }

  /** `overflow` has appended the points. */
  report(
    overflow: OverflowLabels,
  ): Pick<ImportReport, "endpoints" | "other" | "from" | "until" | keyof RequestCounts> {
    return {
      ...this.#counts(),
      endpoints: this.#shownLabels - overflow.endpointsFewer,
      other: overflow.report(),
      from: this.#from,
      until: this.#until,
    };
  }

  #roleOf(label: number): StoredRole | undefined {
    return STORED_ROLES[(this.#role[label] as number) - 1];
  }

  /** Labels with points that are shown; the series of a label count once. */
  get #shownLabels(): number {
    const hidden = [...this.#weaker.keys()].filter(
      (label) => choiceIn(this.#roleOf(label)) !== undefined,
    );
    const hasFacets = this.#labels.some((label) => label.includes(FACETS_BEGIN));
    if (!hasFacets) return this.#used - hidden.length;
    const hiddenOnes = new Set(hidden);
    const shown = this.#labels.filter(
      (_, label) => (this.#role[label] ?? 0) > 0 && !hiddenOnes.has(label),
    );
    return new Set(shown.map(labelOfSeries)).size;
  }

  #counts(): RequestCounts {
    const rows = { request: this.#strongest.rows, transaction: 0, subresult: 0 };
    const failed = { request: this.#strongest.failed, transaction: 0, subresult: 0 };
    for (const [label, counts] of this.#weaker) {
      const stored = this.#roleOf(label);
      const role = derivedRole(stored) ?? "request";
      if (choiceIn(stored) !== undefined) continue;
      rows[role] += counts.rows;
      failed[role] += counts.failed;
    }
    const hasRequests = rows.request > 0;
    const { request, transaction, subresult } = rows;
    return {
      requests: hasRequests ? request : transaction + subresult,
      failedRequests: hasRequests ? failed.request : failed.transaction + failed.subresult,
      transactions: transaction,
      subresults: subresult,
    };
  }
}

type ImportedBatch = Pick<MeasurementBatch, "points" | "roles" | "measures"> &
  Partial<Pick<MeasurementBatch, "labels">>;

interface RowCounts {
  rows: number;
  failed: number;
}

type RequestCounts = Pick<
  ImportReport,
  "requests" | "failedRequests" | "transactions" | "subresults"
>;
