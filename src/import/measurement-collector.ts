import type { SampleAggregator } from "../aggregate/sample-aggregator.ts";
import { KernelAggregator } from "../aggregate/kernel-aggregator.ts";
import { FailureCounter, UserCounter } from "../aggregate/failure-counter.ts";
import { SampleRecorder } from "../aggregate/sample-recorder.ts";
import { MeasureAccumulator } from "../aggregate/measure-accumulator.ts";
import { pointsOfWindows, RowAggregator } from "../aggregate/row-aggregator.ts";
import type { Decoder, SampleSink } from "../decode/decoder.ts";
import {
  PLACES_LISTED,
  type Rejection,
  REJECTIONS_LISTED,
  type Repair,
} from "../model/import-report.ts";
import type { DataPoints, MeasurementBatch } from "../model/data-points.ts";
import { mergePoints } from "../model/merge-points.ts";
import { factsOf, namedRequests } from "../model/point-facts.ts";
import { type ReportedWindow, reportedPercentiles } from "../model/reported-percentiles.ts";
import { REPAIRS, type RepairKind } from "../model/quality/repairs.ts";
import type { Role } from "../model/role.ts";
import type { SampleOptions } from "../model/samples/sample-choice.ts";
import type { SampleBatch, SampleWindow } from "../model/sample-batch.ts";
import {
  addMeasurements,
  addRowQuality,
  type Measurement,
  type RowQuality,
} from "../model/quality/row-quality.ts";
import { hasOtherValue, labelOfSeries } from "../model/series/facets.ts";
import { QualityCounter, UNRECORDED, type Unrecorded } from "../model/source-quality.ts";

/** Windows, or parts of them, at which the collector asks to be flushed. */
const WINDOWS_WANTED = 16 * 1024;
const WINDOW_PARTS_WANTED = 16;
/** Latencies at which windows become a part: as columns, they take a fifth of the memory. */
const PART_LATENCIES = 64 * 1024;

const NO_POINTS = mergePoints([]);

export type CollectorTables = Pick<Decoder, "labels" | "failureKinds" | "generators" | "roleOf">;

export interface CollectorOptions {
  /** Needs hardly any memory at first and no `release`, and is slower for large sources. @default false */
  readonly isSmall?: boolean;
  /** Flushed points are valid until the next call; `release` must be called at the end. @default false */
  readonly lends?: boolean;
  /** @default no request is kept whole */
  readonly samples?: SampleOptions | undefined;
  /** Whether no request of a series is kept whole. @default none is hidden */
  readonly hides?: (series: string) => boolean;
}

/** Converts decoder output to data points, failures by kind, active users and measures. */
export class MeasurementCollector implements SampleSink {
  recorded = 0;
  rejected = 0;
  /** The first `REJECTIONS_LISTED`. */
  readonly rejections: Rejection[] = [];
  readonly #repairs = new Map<RepairKind, { rows: number; readonly places: Rejection[] }>();
  /** At least as many as `rejected`. */
  #rejectedRows = 0;
  /** Rows of the last `takeRows`. */
  #taken: RowQuality = { rejectedRows: 0 };
  /** Requests by label of which a facet counts as `(other)`. */
  #otherFacets: readonly Measurement[] = [];
  readonly quality = new QualityCounter();
  readonly measures = new MeasureAccumulator();
  readonly samples: SampleRecorder | undefined;
  #hasSizes = false;
  #hasUsers = false;
  #hasFailures = false;
  #hasReasons = false;
  /** Many collectors record no samples. */
  #aggregator: SampleAggregator | undefined;
  readonly #openAggregator: () => SampleAggregator;
  readonly #failures = new FailureCounter();
  readonly #users = new UserCounter();
  #windows: SampleWindow[] = [];
  /** Latencies of `#windows`. */
  #latencies = 0;
  /** Points of earlier windows since the last `flush`. */
  #windowParts: DataPoints[] = [];
  #reported: ReportedWindow[] = [];

  constructor({ isSmall = false, lends = false, samples, hides }: CollectorOptions = {}) {
    this.samples = samples === undefined ? undefined : new SampleRecorder(samples, hides);
    this.#openAggregator = () => (isSmall ? new RowAggregator() : new KernelAggregator({ lends }));
  }

  record(batch: SampleBatch): void {
    this.recorded += batch.rows;
    this.#aggregator ??= this.#openAggregator();
    this.#aggregator.record(batch);
  }

  /** Throws `sum-too-large`. */
  recordWindow(window: SampleWindow): void {
    this.recorded += 1;
    this.#windows.push(window);
    this.#latencies += window.latencies.length;
    if (this.#latencies >= PART_LATENCIES) this.#endPart();
  }

  #endPart(): void {
    this.#windowParts.push(pointsOfWindows(this.#windows));
    this.#windows = [];
    this.#latencies = 0;
  }

  recordFailure(label: number, second: number, kind: number, requests: number): void {
    this.#failures.add(label, second, kind, requests);
  }

  recordActiveUsers(generator: number, second: number, active: number): void {
    this.#users.addActive(generator, second, active);
  }

  recordUserChanges(generator: number, second: number, started: number, ended: number): void {
    this.#users.addChanges(generator, second, started, ended);
  }

  confirmSizes(): void {
    this.#hasSizes = true;
  }

  recordPercentiles(reported: ReportedWindow): void {
    this.#reported.push(reported);
  }

  reject(rejection: Rejection, rows = 1): void {
    this.rejected += 1;
    this.#rejectedRows += rows;
    if (this.rejections.length < REJECTIONS_LISTED) this.rejections.push(rejection);
  }

  repair(kind: RepairKind, place: Rejection): void {
    const known = this.#repairs.get(kind);
    if (known === undefined) {
      this.#repairs.set(kind, { rows: 1, places: [place] });
      return;
    }
    known.rows += 1;
    if (known.places.length < PLACES_LISTED) known.places.push(place);
  }

  get repairs(): readonly Repair[] {
    return REPAIRS.flatMap((kind) => {
      const repaired = this.#repairs.get(kind);
      return repaired === undefined ? [] : [{ kind, ...repaired }];
    });
  }

  get rows(): RowQuality {
    const repairedRows = Object.fromEntries(this.repairs.map(({ kind, rows }) => [kind, rows]));
    const rows = { rejectedRows: this.#rejectedRows, repairedRows };
    const lists = { unreadValues: this.measures.unread, otherFacets: this.#otherFacets };
    return addRowQuality([{ ...rows, ...lists }]) ?? { rejectedRows: 0 };
  }

  /** Those since the last call; `undefined` if there are none. */
  takeRows(): RowQuality | undefined {
    const [all, before] = [this.rows, this.#taken];
    const { rejectedRows, repairedRows = {}, unreadValues = [], otherFacets = [] } = all;
    this.#taken = all;
    const repaired = REPAIRS.map((kind) => {
      return [kind, (repairedRows[kind] ?? 0) - (before.repairedRows?.[kind] ?? 0)] as const;
    });
    return addRowQuality([
      {
        rejectedRows: rejectedRows - before.rejectedRows,
        repairedRows: Object.fromEntries(repaired),
        unreadValues: since(unreadValues, before.unreadValues),
        otherFacets: since(otherFacets, before.otherFacets),
      },
    ]);
  }

  /** What nothing flushed so far has. */
  get unrecorded(): readonly Unrecorded[] {
    const isRecorded: Readonly<Record<Unrecorded, boolean>> = {
      sizes: this.#hasSizes,
      "failure-reasons": this.#hasReasons || !this.#hasFailures,
      users: this.#hasUsers,
    };
    return UNRECORDED.filter((what) => !isRecorded[what]);
  }

  /** Points collected since the last `flush`, without windows. */
  get points(): number {
    return this.#aggregator?.points ?? 0;
  }

  /** Whether a `flush` is due, given how many labels there are so far; recording may continue. */
  wantsFlush(labels: number): boolean {
    return (
      this.#aggregator?.wantsFlush(labels) === true ||
      this.#failures.wantsFlush ||
      this.measures.wantsTake ||
      this.samples?.isMuch === true ||
      this.#windows.length >= WINDOWS_WANTED ||
      this.#windowParts.length >= WINDOW_PARTS_WANTED
    );
  }

  /** Nothing may be recorded afterwards. */
  release(): void {
    this.#aggregator?.release?.();
  }

  #takePoints(): DataPoints {
    const samples = this.#aggregator?.flush() ?? NO_POINTS;
    if (this.#windows.length > 0) this.#endPart();
    const parts = this.#windowParts;
    this.#windowParts = [];
    return parts.length === 0 ? samples : mergePoints([samples, ...parts]);
  }

  #takeSamples(isPart: boolean): MeasurementBatch["samples"] {
    const areLeft = isPart && this.samples?.isMuch !== true;
    return areLeft ? undefined : this.samples?.take();
  }

  /** Flushes and resets; measures and samples that are few are left if `isPart`. Throws `sum-too-large`. */
  flush(tables: CollectorTables, isPart = false): MeasurementBatch | undefined {
    const { labels, failureKinds, generators } = tables;
    const points = this.#takePoints();
    this.quality.add(points);
    const others = namedRequests(points, (series) => {
      const name = labels[series] as string;
      return hasOtherValue(name) ? labelOfSeries(name) : undefined;
    });
    this.#otherFacets = addMeasurements([...this.#otherFacets, ...others]);
    this.#hasFailures ||= factsOf(points).failedRequests > 0;
    const reported = this.#reported.length === 0 ? undefined : reportedPercentiles(this.#reported);
    this.#reported = [];
    const failures = { kinds: failureKinds, counts: this.#failures.flush() };
    const users = { generators, counts: this.#users.flush() };
    this.#hasReasons ||= failures.counts.second.length > 0;
    this.#hasUsers ||= users.counts.second.length > 0;
    const samples = this.#takeSamples(isPart);
    const measures = isPart && !this.measures.wantsTake ? undefined : this.measures.take();
    const rows = points.second.length + failures.counts.second.length + users.counts.second.length;
    if (rows === 0 && [reported, samples, measures].every((each) => each === undefined)) {
      return undefined;
    }
    return { labels, roles: rolesIn(tables), points, failures, users, reported, measures, samples };
  }
}

/** What was added to a list that only grows. */
function since(
  all: readonly Measurement[],
  before: readonly Measurement[] = [],
): readonly Measurement[] {
  return all.flatMap(({ name, values }, at) => {
    const added = values - (before[at]?.values ?? 0);
    return added === 0 ? [] : [{ name, values: added }];
  });
}

/** Role of the rows under each label so far; absent if all are requests. */
function rolesIn(tables: CollectorTables): readonly Role[] | undefined {
  if (tables.roleOf === undefined) return undefined;
  const roleOf = (label: number): Role => tables.roleOf?.(label) ?? "request";
  const { length } = tables.labels;
  // Allocates nothing in the usual case that all are requests: there may be very many.
  let leading = 0;
  while (leading < length && roleOf(leading) === "request") leading += 1;
  return leading === length ? undefined : Array.from({ length }, (_, label) => roleOf(label));
}
