import { createHash } from "node:crypto";
import { KeyedMutex } from "../../concurrency/mutex.ts";
import { Semaphore } from "../../concurrency/semaphore.ts";
import { Yielder } from "../../concurrency/yielder.ts";
import type { FacetOptions } from "../../decode/decoder.ts";
import { WRITE_CHARACTERS_MAX } from "../../decode/kept-requests.ts";
import { facetNames } from "../../decode/labels/faceted-labels.ts";
import type { CumulativeSeries } from "../../decode/otlp/cumulative.ts";
import { DurationWindows, isLoadTool } from "../../decode/otlp/duration-windows.ts";
import { attributeNamed } from "../../decode/otlp/json-values.ts";
import { MetricMeasures, SERVICES_MAX } from "../../decode/otlp/metric-measures.ts";
import type { MetricPoint, PointFault } from "../../decode/otlp/metric-points.ts";
import { type OtlpForm, readMetrics, readTraces } from "../../decode/otlp/read-body.ts";
import { SpanRequests } from "../../decode/otlp/span-requests.ts";
import { SPAN_FACETS, type Span, type SpanSink } from "../../decode/otlp/span.ts";
import { type ImportTarget, ensureLoadTest } from "../../import/ensure-load-test.ts";
import { KindLimit } from "../../import/kind-limit.ts";
import { MeasurementCollector } from "../../import/measurement-collector.ts";
import { unstoredText } from "../../model/measures/series-limits.ts";
import { REPAIR_TEXTS } from "../../model/quality/repairs.ts";
import { addRowQuality } from "../../model/quality/row-quality.ts";
import type { SampleOptions } from "../../model/samples/sample-choice.ts";
import type { Facets } from "../../model/series/facets.ts";
import type { StoredText } from "../../store/store.ts";
import { NO_MEASUREMENTS, sequenceOf } from "../append-fitting.ts";
import { LiveSamples } from "../live-samples.ts";
import { type LiveStore, type LiveTarget, openTarget } from "../live-target.ts";
import {
  hasOtlp,
  joinTotals,
  keepTotals,
  newMemory,
  type OtlpMemories,
  type OtlpMemory,
  OVER_MS,
} from "./memories.ts";
import {
  type Description,
  METRICS_SOURCE,
  type OtlpBody,
  type OtlpPart,
  betterSources,
  sourceOf,
  worseSources,
} from "./otlp-body.ts";
import { SpanIds } from "./seen-spans.ts";
import { storeWaiting } from "./waiting-spans.ts";

/** A body of OpenTelemetry's protocol over HTTP. */
export interface OtlpWrite {
  readonly target: LiveTarget;
  readonly signal: "traces" | "metrics";
  readonly form: OtlpForm;
  readonly body: Uint8Array;
  /** @default those of spans */
  readonly facets?: FacetOptions | undefined;
}

/** A body of remote write, whose points are read once. */
interface PointsWrite extends MetricsGiven {
  readonly target: LiveTarget;
  readonly signal: "remote-write";
  readonly body: Uint8Array;
}

export interface OtlpReport {
  /** Spans, or values of points, that are not stored. */
  readonly rejected: number;
  /** Why, and what else is not shown as it was sent. */
  readonly remarks: readonly string[];
}

interface OtlpWriterDependencies {
  readonly store: LiveStore;
  /** Of all projects. */
  readonly memories: OtlpMemories;
  readonly project: string | undefined;
  /** @default no request is kept whole */
  readonly samples?: SampleOptions | undefined;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** After which requests are looked for that spans of other services are part of. @default 5 seconds */
  readonly settleMs?: number | undefined;
}

const SETTLE_MS = 5000;

/** Bodies that are read at once, of all projects: each may take 20 ms for what cannot be divided. */
const reading = new Semaphore({ max: 2 });

/**
 * Writes what can be stored; durable and visible when the promise resolves. The same body twice counts once. Throws
 * `bad-batch` for a body that is not OTLP, and what the store throws; the write can then be repeated.
 */
export type WriteOtlp = (write: OtlpWrite | PointsWrite) => Promise<OtlpReport>;

export function createOtlpWriter({
  store: whole,
  memories,
  project,
  samples,
  now,
  settleMs = SETTLE_MS,
}: OtlpWriterDependencies): WriteOtlp {
  const kinds = new KindLimit();
  const kept = new LiveSamples(samples?.bytesMax ?? 0);
  const turns = new KeyedMutex();
  /** Load tests whose waiting spans are looked at soon. */
  const settling = new Set<string>();

  const keyOf = ({ loadTestId, environment }: LiveTarget) =>
    JSON.stringify([project, loadTestId, environment]);

  async function writeNext(write: OtlpWrite | PointsWrite): Promise<OtlpReport> {
    const { target, signal, body } = write;
    const { loadTestId, store, state } = openTarget(whole, target, now);
    const key = keyOf(target);
    const live = await store.points.liveSources(loadTestId);
    const sources = new Set(live.map(({ sourceId }) => sourceId));
    const memory = await memoryOf(key, sources, state);
    if (signal !== "traces") await joinTotals(memory, state);
    const facets = { ...write.facets, values: memory.facetValues };
    const decoded: OtlpBody =
      write.signal === "traces"
        ? new SpansBody(memory, { ...write, facets, samples, keepsOthers: keepsOthersOf(write) })
        : new MetricsBody(
            memory,
            target.environment === undefined ? sources : undefined,
            write.signal === "remote-write"
              ? write
              : {
                  points: readMetrics(body, write.form),
                  source: METRICS_SOURCE,
                  facets,
                },
          );
    const yielder = new Yielder();
    await reading.run(key, async () => {
      for (const _ of decoded.read()) if (yielder.isDue()) await yielder.next();
    });
    const sequence = sequenceOf(createHash("sha256").update(signal).update(body).digest("hex"));
    let { rejected } = decoded;
    const remarks = [...decoded.remarks];
    memories.keep(key, memory, performance.now());
    const stored = new Set<string>();
    try {
      for (const part of decoded.parts) {
        await yielder.pass();
        for (const _ of part.collector.samples?.makeWhole() ?? []) await yielder.pass();
        const report = await writePart(part, { loadTestId, store, sequence, sources, memory });
        stored.add(part.sourceId);
        rejected += report.rejected;
        remarks.push(...report.remarks);
      }
    } catch (error) {
      // Of the others, the increases come again: with this body, or with the next ones.
      decoded.commit(stored);
      throw error;
    }
    const { totals } = decoded;
    // Even if its totals cannot be kept, the next body goes on from it: senders give up those that are not acknowledged.
    decoded.commit();
    if (totals !== undefined) {
      memory.isKept = false;
      await keepTotals(state, memory, totals);
      memory.isKept = true;
    }
    memories.keep(key, memory, performance.now());
    if (keepsOthersOf(write)) {
      memory.waiting.addedAtMs = performance.now();
      settleSoon(loadTestId, key);
    }
    return { rejected, remarks };
  }

  /** An environment has no requests. */
  function keepsOthersOf({ signal, target }: OtlpWrite | PointsWrite): boolean {
    return signal === "traces" && samples !== undefined && target.environment === undefined;
  }

  /** Again and again while spans wait: their request may come with other senders, or in a file. */
  function settleSoon(loadTestId: string, key: string): void {
    const { waiting } = memories.find(key) ?? {};
    if (waiting === undefined || waiting.bytes === 0 || settling.has(key)) return;
    if (performance.now() - waiting.addedAtMs >= OVER_MS) return;
    settling.add(key);
    const settle = async () => {
      try {
        await turns.run(key, () => storeWaiting(whole.points, loadTestId, waiting));
      } catch {
        // What cannot be stored waits for the next body.
        return;
      } finally {
        settling.delete(key);
      }
      settleSoon(loadTestId, key);
    };
    setTimeout(() => void settle(), settleMs).unref();
  }

  /** A load test that was deleted, and what was known of it, begins again. */
  async function memoryOf(
    key: string,
    sources: ReadonlySet<string>,
    state: StoredText,
  ): Promise<OtlpMemory> {
    const known = memories.find(key);
    const isDeleted = known?.hasStored === true && !hasOtlp(sources);
    if (known !== undefined && !isDeleted) return known;
    const isIncomplete = hasOtlp(sources) && memories.hasDropped(key);
    return { ...newMemory(sources, await state.find()), isIncomplete };
  }

  async function writePart(
    { sourceId, format, collector, tables, rows }: OtlpPart,
    about: {
      readonly loadTestId: string;
      readonly store: ImportTarget;
      readonly sequence: number;
      readonly sources: ReadonlySet<string>;
      readonly memory: OtlpMemory;
    },
  ): Promise<OtlpReport> {
    const { loadTestId, store, sequence, sources, memory } = about;
    const unread = collector.rejections.map(({ reason }) => reason);
    const flushed = collector.flush(tables);
    const quality = addRowQuality([collector.takeRows(), flushed && rows]);
    if (flushed === undefined && quality === undefined) return { rejected: 0, remarks: [] };
    const contents = flushed ?? NO_MEASUREMENTS;
    await ensureLoadTest(store, { id: loadTestId, name: loadTestId }, now());
    const limited = kinds.limit(loadTestId, contents);
    const source = { loadTestId, sourceId, visibility: "live", format, sequence, quality } as const;
    const { requests, refusal, unstored } = await kept.append(store, { ...source, ...limited });
    memory.hasStored = true;
    for (const worse of worseSources(sourceId)) {
      if (sources.has(worse)) await store.points.withdraw(loadTestId, worse);
    }
    const values = Object.values(unstored).reduce((sum, count) => sum + count, 0);
    return {
      rejected: collector.rejected + requests + values,
      remarks: [
        ...unread,
        ...collector.repairs.map(
          ({ kind, rows: repaired }) => `spans or points ${REPAIR_TEXTS[kind]}: ${repaired}`,
        ),
        refusal ?? [],
        unstoredText(unstored) ?? [],
      ].flat(),
    };
  }

  return (write) => turns.run(keyOf(write.target), () => writeNext(write));
}

/** The points of a body, and what is their source, as far as they are no requests. */
interface MetricsGiven {
  readonly facets?: FacetOptions | undefined;
  readonly points: Iterable<MetricPoint | PointFault | undefined>;
  readonly source: string;
}

class MetricsBody implements OtlpBody {
  readonly #measures: MetricMeasures;
  readonly #memory: OtlpMemory;
  readonly #series: CumulativeSeries;
  readonly #collector = new MeasurementCollector({ isSmall: true });
  readonly #windows = new Map<
    string,
    { description: Description; collector: MeasurementCollector; windows: DurationWindows }
  >();
  readonly #given: MetricsGiven;
  /** Of this process: another must know what counts from the beginning, even before there is a total. */
  readonly #isFirst: boolean;

  /** `sources`: those that the load test has; `undefined` in an environment, which has no requests. */
  constructor(memory: OtlpMemory, sources: ReadonlySet<string> | undefined, given: MetricsGiven) {
    this.#given = given;
    this.#memory = memory;
    this.#isFirst = !memory.hasStored;
    this.#series = memory.series.next();
    this.#measures = new MetricMeasures({
      sink: this.#collector,
      series: this.#series,
      sourceOf: (description, service) =>
        description === undefined ? given.source : sourceOf(description, service),
      windowsOf:
        sources &&
        ((description, service) => {
          const sourceId = sourceOf(description, service);
          const isDescribed = betterSources(sourceId).some((better) => sources.has(better));
          return isDescribed ? "described" : this.#windowsOf(sourceId, description);
        }),
    });
  }

  *read(): Generator<void> {
    for (const point of this.#given.points) {
      if (point !== undefined) this.#measures.take(point);
      yield;
    }
  }

  get rejected(): number {
    return this.#measures.refused;
  }

  get remarks(): readonly string[] {
    const all = [...this.#windows.values()];
    return [...this.#measures.remarks(), ...all.flatMap(({ windows }) => windows.facets.notes())];
  }

  get parts(): readonly OtlpPart[] {
    const tables = { labels: [], failureKinds: [], generators: [] };
    const { source } = this.#given;
    const measures = { sourceId: source, format: source, tables };
    const best = [...this.#windows].filter(([sourceId]) =>
      betterSources(sourceId).every((better) => !this.#windows.has(better)),
    );
    return [
      { ...measures, collector: this.#collector },
      ...best.map(([sourceId, { description, collector, windows }]) => ({
        sourceId,
        format: description,
        collector,
        tables: { ...tables, labels: windows.labels.texts, failureKinds: windows.kinds.kinds },
      })),
    ];
  }

  get totals(): string | undefined {
    const isDue = this.#series.hasChanged || this.#isFirst || !this.#memory.isKept;
    return isDue ? this.#series.write() : undefined;
  }

  commit(sourceIds?: ReadonlySet<string>): void {
    if (sourceIds?.size === 0) return;
    const memory = this.#memory;
    memory.series = sourceIds ? this.#series.ofStored(memory.series, sourceIds) : this.#series;
    memory.isKept &&= sourceIds === undefined;
  }

  #windowsOf(sourceId: string, description: Description): DurationWindows | "too-many" {
    const known = this.#windows.get(sourceId);
    if (known !== undefined) return known.windows;
    if (this.#windows.size === SERVICES_MAX) return "too-many";
    const collector = new MeasurementCollector({ isSmall: true });
    const windows = new DurationWindows(collector, this.#given.facets);
    this.#windows.set(sourceId, { description, collector, windows });
    return windows;
  }
}

interface Source {
  readonly collector: MeasurementCollector;
  readonly requests: SpanRequests;
}

interface SpansGiven {
  readonly body: Uint8Array;
  readonly form: OtlpForm;
  readonly facets?: FacetOptions | undefined;
  /** @default no request is kept whole */
  readonly samples?: SampleOptions | undefined;
  /** Whether spans of other services wait for requests that they are part of. */
  readonly keepsOthers: boolean;
}

const NANOS_PER_MICRO = 1000;
/** A year: a span that ends later has no end. */
const NANOS_MAX = 366 * 24 * 3600e9;
const TRACE_ID = /^[0-9a-f]{32}$/;
const SPAN_ID = /^[0-9a-f]{16}$/;

class SpansBody implements OtlpBody, SpanSink {
  readonly asked: readonly string[];
  #tooMany = 0;
  #tooLong = 0;
  readonly #memory: OtlpMemory;
  readonly #own = new SpanIds();
  readonly #sources = new Map<string, Source>();
  #requests: SpanRequests | "foreign" | "too-many" = "foreign";
  #foreign = 0;
  #service = "";
  /** Of `#attributes`, which can be long and have many scopes. */
  #resource: Facets = [];
  #attributes: unknown;
  readonly #facets: FacetOptions | undefined;
  readonly #samples: SampleOptions | undefined;
  readonly #texts = { left: WRITE_CHARACTERS_MAX };
  readonly #body: Uint8Array;
  readonly #form: OtlpForm;
  readonly #keepsOthers: boolean;

  constructor(memory: OtlpMemory, { body, form, facets, samples, keepsOthers }: SpansGiven) {
    this.#samples = samples;
    this.#keepsOthers = keepsOthers;
    this.#memory = memory;
    this.#body = body;
    this.#form = form;
    this.#facets = facets;
    this.asked = facetNames(SPAN_FACETS, facets);
  }

  read(): Generator<void> {
    return readTraces(this.#body, this.#form, this);
  }

  begin(service: string, scope: string, attributes: unknown): void {
    this.#service = service;
    if (attributes !== this.#attributes) {
      const values = this.asked.map((name) => [name, attributeNamed(attributes, name)] as const);
      [this.#attributes, this.#resource] = [attributes, values.filter(([, value]) => value !== "")];
    }
    const next = isLoadTool(service, scope) ? this.#requestsOf(service) : "foreign";
    if (next === this.#requests) return;
    // All services fill the same batch.
    if (typeof this.#requests === "object") this.#requests.rows.flush();
    this.#requests = next;
  }

  take(span: Span): void {
    if (this.#requests === "foreign") this.#takeOther(span);
    else if (this.#requests === "too-many") this.#tooMany += 1;
    else this.#requests.take(span, this.#resource);
  }

  /** A span whose times or ids say nothing is only counted. */
  #takeOther(span: Span): void {
    this.#foreign += 1;
    if (!this.#keepsOthers || !(span.elapsedNanos >= 0 && span.elapsedNanos <= NANOS_MAX)) return;
    const ids = span.ids();
    if (!TRACE_ID.test(ids.traceId) || !SPAN_ID.test(ids.spanId)) return;
    const elapsedMicros = Math.round(span.elapsedNanos / NANOS_PER_MICRO);
    const about = { service: this.#service, operation: span.name, elapsedMicros };
    const parentId = SPAN_ID.test(ids.parentId) ? ids.parentId : "";
    this.#memory.waiting.add({ ...ids, parentId, ...about });
  }

  refuse(): void {
    this.#tooLong += 1;
  }

  get rejected(): number {
    return this.#tooMany + this.#tooLong;
  }

  get parts(): readonly OtlpPart[] {
    let rejectedRows = this.rejected;
    return Array.from(this.#sources, ([sourceId, { collector, requests }]) => {
      requests.rows.flush();
      const { labels, failureKinds, count } = requests.rows;
      const tables = { labels: labels.texts, failureKinds, generators: [] };
      const repairedRows =
        this.#memory.isIncomplete && count > 0 ? { "repeats-unknown": count } : {};
      const rows = { rejectedRows, repairedRows };
      rejectedRows = 0;
      return { sourceId, format: "otlp-spans", collector, tables, rows };
    });
  }

  get remarks(): readonly string[] {
    const counts = [
      ["spans of services that are no load tools", this.#foreign],
      ["spans of over 1 MiB, which are not stored", this.#tooLong],
      [
        `spans of more than ${SERVICES_MAX} services in one body, which are not stored (send smaller bodies)`,
        this.#tooMany,
      ],
    ] as const;
    const unusual = counts.flatMap(([what, count]) => (count === 0 ? [] : [`${what}: ${count}`]));
    const sources = [...this.#sources.values()];
    return [...unusual, ...sources.flatMap(({ requests }) => requests.rows.facets.notes())];
  }

  commit(sourceIds?: ReadonlySet<string>): void {
    if (sourceIds === undefined) this.#memory.spans.add(this.#own);
  }

  #requestsOf(service: string): SpanRequests | "too-many" {
    const sourceId = sourceOf("otlp-spans", service);
    const known = this.#sources.get(sourceId);
    if (known !== undefined) return known.requests;
    if (this.#sources.size === SERVICES_MAX) return "too-many";
    const collector = new MeasurementCollector({ isSmall: true, samples: this.#samples });
    const [first] = this.#sources.values();
    const requests = new SpanRequests(collector, (high, low) => this.#isNew(high, low), {
      facets: this.#facets,
      batch: first?.requests.rows.batch,
      texts: this.#texts,
    });
    if (collector.samples !== undefined)
      collector.samples.nameOf = (label) => requests.rows.labels.textOf(label);
    this.#sources.set(sourceId, { collector, requests });
    return requests;
  }

  #isNew(high: number, low: number): boolean {
    return !this.#memory.spans.has(high, low) && this.#own.add(high, low);
  }
}
