import { MeasureAccumulator } from "../aggregate/measure-accumulator.ts";
import { PULLED_MEASURES } from "../decode/format-quality.ts";
import { measureUnitOf, totalName } from "../decode/measures/metric-names.ts";
import { mergeUsers } from "../model/active-users.ts";
import { badParameter } from "../model/errors.ts";
import { NO_FAILURES } from "../model/failures.ts";
import type { NewLoadTest } from "../model/load-test.ts";
import type { MeasureSeries, UnstoredValues } from "../model/measures/measure-table.ts";
import { keyOfSeries } from "../model/measures/merge-measures.ts";
import { addRowQuality } from "../model/quality/row-quality.ts";
import { mergePoints } from "../model/merge-points.ts";
import type {
  Prometheus,
  QueriedHistogram,
  QueriedRange,
  QueriedSeries,
} from "../source/download/prometheus.ts";
import { SourceDigest } from "../source/source-digest.ts";
import type { ImportTarget } from "./ensure-load-test.ts";
import { StagedImport } from "./staged-import.ts";

/** A query whose result becomes a measure. */
export interface MeasureQuery {
  /** @default that of the metric */
  readonly name: string | undefined;
  readonly query: string;
}

/** A name, and not a matcher or comparison. Up to the last character that is no blank: behind each blank, the others would be read again. */
const NAMED = /^\s*([A-Za-z_](?:[\w.:/ -]*[\w.:/-])?)\s*=(?![=~])\s*(\S[^]*)$/;

/** Parses `NAME=QUERY`, or a query without a name. */
export function parseMeasureQuery(text: string): MeasureQuery {
  const [, name, named] = NAMED.exec(text) ?? [];
  return { name, query: named ?? text };
}

/** Throws `bad-parameter` if two have the same name or are the same query, even on different servers: one would replace the other. */
export function requireDistinct(queries: readonly MeasureQuery[]): void {
  const names = new Set<string>();
  for (const { name, query } of queries) {
    const own = name ?? query;
    if (names.has(own)) {
      const message = `two queries are named ${own}: one would replace the other, want different names`;
      throw badParameter(message);
    }
    names.add(own);
  }
}

/** What the environment has for `PrometheusAddress.authorization`; never a flag: others can see those. */
export function prometheusAuthorization(
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const [token, user, password] = ["TOKEN", "USERNAME", "PASSWORD"].map(
    (name) => environment[`TACHOGRAPH_PROMETHEUS_${name}`] || undefined,
  );
  if (token !== undefined) return `Bearer ${token}`;
  if (user === undefined && password === undefined) return undefined;
  return `Basic ${Buffer.from(`${user ?? ""}:${password ?? ""}`).toString("base64")}`;
}

export interface PulledMeasure {
  readonly query: string;
  /** Of the measures; empty without a series. */
  readonly names: readonly string[];
  readonly series: number;
  readonly values: number;
  readonly unstored: UnstoredValues;
  /** Whether the same values were there already. */
  readonly isUnchanged: boolean;
}

/** Where they are pulled from. */
export type MeasureSource = Prometheus;

export interface PullRequest {
  readonly target: ImportTarget;
  readonly prometheus: MeasureSource;
  readonly loadTest: NewLoadTest;
  readonly query: MeasureQuery;
  readonly range: QueriedRange;
}

/** Of one query and series. */
const STEPS_MAX = 1_000_000;

/** Prometheus answers at most 11,000; fewer keep responses small. */
const STEPS_AT_ONCE = 2500;

/**
 * Pulls the values of a query into a load test, in place of those that a query of the same name, or the same one without a name, brought
 * before; without a series, nothing changes. Throws `unreadable-source`, `bad-parameter`, and what the target throws; nothing has changed then.
 */
export async function pullMeasure(request: PullRequest): Promise<PulledMeasure> {
  const { target, prometheus, loadTest, query, range } = request;
  if ((range.until - range.from) / range.stepSeconds >= STEPS_MAX) {
    throw badParameter(`the step: want one that gives at most ${STEPS_MAX} values`);
  }
  const staged = new StagedImport(target, loadTest);
  const measures = new PulledValues(prometheus, query);
  const name = `Prometheus: ${query.name ?? query.query}`;
  const digest = new SourceDigest();
  digest.update(Buffer.from(`${name} ${query.query}`));
  try {
    await staged.begin();
    for (const part of partsOf(range)) {
      const series = await prometheus.queryRange(query.query, part);
      digest.update(Buffer.from(JSON.stringify(series)));
      for (const each of series) {
        await measures.add(each);
        if (measures.accumulator.wantsTake) await append(staged, measures);
      }
    }
    await append(staged, measures);
    const report = { query: query.query, ...measures.report, unstored: staged.span.unstored };
    if (report.series === 0) {
      await staged.takeBack();
      return { ...report, isUnchanged: true };
    }
    const earlier = await target.points.sources(loadTest.id);
    const replaced = earlier.filter(
      (each) => each.format === PULLED_MEASURES && each.name === name,
    );
    const { sizeBytes, digest: content } = digest.finish();
    const lost = addRowQuality([{ unreadValues: measures.accumulator.unread }]);
    const isUnchanged = replaced.some((each) => each.digest === content);
    if (isUnchanged) await staged.discard();
    else {
      await staged.publish(
        {
          name,
          format: PULLED_MEASURES,
          sizeBytes,
          digest: content,
          quality: { ...QUALITY, ...lost },
        },
        replaced.map(({ sourceId }) => sourceId),
      );
    }
    return { ...report, isUnchanged };
  } catch (error) {
    await staged.takeBack();
    throw error;
  }
}

const QUALITY = {
  unrecorded: [],
  untimedRequests: 0,
  averagedRequests: 0,
  windowSeconds: 1,
  rejectedRows: 0,
} as const;

function* partsOf({ from, until, stepSeconds }: QueriedRange): Generator<QueriedRange> {
  for (let start = from; start <= until; start += STEPS_AT_ONCE * stepSeconds) {
    yield {
      from: start,
      until: Math.min(until, start + (STEPS_AT_ONCE - 1) * stepSeconds),
      stepSeconds,
    };
  }
}

async function append(staged: StagedImport, values: PulledValues): Promise<void> {
  const measures = values.accumulator.take();
  if (measures === undefined) return;
  await staged.append({
    labels: [],
    points: mergePoints([]),
    failures: NO_FAILURES,
    users: mergeUsers([]),
    measures,
  });
}

/** Values of a query: gauges as they are, and native histograms by what they add. */
class PulledValues {
  readonly accumulator = new MeasureAccumulator();
  readonly #prometheus: Prometheus;
  readonly #query: MeasureQuery;
  readonly #names = new Set<string>();
  readonly #keys = new Set<string>();
  readonly #types = new Map<string, string | undefined>();
  /** The last one of each series. */
  readonly #histograms = new Map<string, QueriedHistogram>();
  #metric: string | undefined;
  #values = 0;

  constructor(prometheus: Prometheus, query: MeasureQuery) {
    this.#prometheus = prometheus;
    this.#query = query;
  }

  get report() {
    return {
      names: [...this.#names].toSorted(),
      series: this.#keys.size,
      values: this.#values,
    };
  }

  async add({ metric, values = [], histograms = [] }: QueriedSeries): Promise<void> {
    const { __name__: own, ...tags } = metric;
    const name = await this.#nameOf(own);
    this.#names.add(name);
    this.#keys.add(JSON.stringify(metric));
    const unit = measureUnitOf(own ?? name);
    const series = { label: undefined, name, unit, tags: Object.entries(tags) };
    this.#addValues({ ...series, kind: "gauge" }, values);
    this.#addHistograms({ ...series, kind: "distribution" }, histograms);
  }

  #addValues(series: MeasureSeries, values: NonNullable<QueriedSeries["values"]>): void {
    if (values.length === 0) return;
    const number = this.accumulator.seriesOf(series);
    for (const [second, text] of values) {
      // A gap; infinities are counted as not stored.
      if (text === "NaN") continue;
      this.#values += 1;
      this.accumulator.add(number, second * 1000, numberOf(text));
    }
  }

  #addHistograms(series: MeasureSeries, all: NonNullable<QueriedSeries["histograms"]>): void {
    if (all.length === 0) return;
    const number = this.accumulator.seriesOf(series);
    const key = keyOfSeries(series);
    for (const [second, histogram] of all) {
      const before = this.#histograms.get(key);
      this.#histograms.set(key, histogram);
      const window = before && windowSince(before, histogram);
      if (window === undefined || window.count === 0) continue;
      this.#values += 1;
      this.accumulator.addWindow(number, second * 1000, window);
    }
  }

  /** That of a counter says that it is one. */
  async #nameOf(metric: string | undefined): Promise<string> {
    const name = this.#query.name ?? metric;
    if (name === undefined) {
      throw badParameter(`the result of ${this.#query.query} has no name: want NAME=QUERY`);
    }
    if (metric === undefined) return name;
    this.#metric ??= metric;
    if (this.#query.name !== undefined && metric !== this.#metric) {
      throw badParameter(
        `the query ${this.#query.query} has several metrics, such as ${this.#metric} and ${metric}: leave out ${name}=`,
      );
    }
    if (!this.#types.has(metric)) {
      this.#types.set(metric, await this.#prometheus.typeOf(metric).catch(() => undefined));
    }
    const isCounter = this.#types.get(metric) === "counter" || metric.endsWith("_total");
    return isCounter ? totalName(name) : name;
  }
}

function numberOf(text: string): number {
  return Number(text.replace("Inf", "Infinity"));
}

/** What was added since the histogram before; after a restart, all of it. */
function windowSince(before: QueriedHistogram, now: QueriedHistogram) {
  const since = addedTo(before, now);
  const hasFallen = Number(now.count) < Number(before.count) || since === undefined;
  const [count, sum] = hasFallen
    ? [Number(now.count), Number(now.sum)]
    : [Number(now.count) - Number(before.count), Number(now.sum) - Number(before.sum)];
  const buckets = (hasFallen ? bucketsOf(now) : since).filter(({ times }) => times > 0);
  const isKnown =
    buckets.every(isFine) && buckets.reduce((all, { times }) => all + times, 0) === count;
  const entries = buckets.map(({ middle, times }) => [middle, times] as const);
  return { count, sum, entries: isKnown ? entries : [] };
}

/** What was added to each bucket, also to one that unites several earlier ones; `undefined` if one has fewer, as after a restart. */
function addedTo(before: QueriedHistogram, now: QueriedHistogram) {
  const left = bucketsOf(before).values();
  let earlier = left.next().value;
  const added = bucketsOf(now).map((bucket) => {
    let { times } = bucket;
    for (; earlier !== undefined && earlier.inside <= bucket.to; earlier = left.next().value) {
      // Its bucket is gone.
      times -= earlier.inside < bucket.from ? Infinity : earlier.times;
    }
    return { ...bucket, times };
  });
  const hasFallen = earlier !== undefined || added.some(({ times }) => times < 0);
  return hasFallen ? undefined : added;
}

/** By their bounds. */
function bucketsOf({ buckets = [] }: QueriedHistogram) {
  return buckets
    .map(([, ...texts]) => {
      const [from = 0, to = 0, times = 0] = texts.map(numberOf);
      // A value of it for sure, although bounds may be rounded and 0 may be one of them.
      const inside = from === -Infinity ? from : from / 2 + to / 2;
      return { from, to, inside, middle: middleOf(from, to), times };
    })
    .toSorted((left, right) => left.from - right.from);
}

/** Between the bounds of a bucket of scale 3, which may be rounded. */
const RATIO_MAX = 1.0001 * 2 ** (1 / 8);

/** Whether the middle of a bucket is close enough to its values, as in remote write; values around zero count as 0. */
function isFine({ from, to }: Pick<ReturnType<typeof bucketsOf>[number], "from" | "to">): boolean {
  // Infinity times 0 is NaN.
  if (!(from * to > 0)) return from === -to && Number.isFinite(to);
  return Math.max(to / from, from / to) <= RATIO_MAX;
}

/** Of an exponential bucket; of the one around zero, 0. */
function middleOf(from: number, to: number): number {
  return from * to > 0 ? Math.sign(from) * Math.sqrt(from * to) : 0;
}
