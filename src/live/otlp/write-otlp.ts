import { createHash } from "node:crypto";
import { KeyedMutex } from "../../concurrency/mutex.ts";
import { Semaphore } from "../../concurrency/semaphore.ts";
import { Yielder } from "../../concurrency/yielder.ts";
import { CumulativeSeries } from "../../decode/otlp/cumulative.ts";
import type { FacetOptions } from "../../decode/decoder.ts";
import { type OtlpForm, readMetrics } from "../../decode/otlp/read-body.ts";
import { type ImportTarget, ensureLoadTest } from "../../import/ensure-load-test.ts";
import { KindLimit } from "../../import/kind-limit.ts";
import type { StoredText } from "../../store/store.ts";
import type { SampleOptions } from "../../model/samples/sample-choice.ts";
import { unstoredText } from "../../model/measures/series-limits.ts";
import { REPAIR_TEXTS } from "../../model/quality/repairs.ts";
import { addRowQuality } from "../../model/quality/row-quality.ts";
import { LiveSamples } from "../live-samples.ts";
import { NO_MEASUREMENTS, sequenceOf } from "../append-fitting.ts";
import { type LiveStore, type LiveTarget, openTarget } from "../live-target.ts";
import type { OtlpMemories, OtlpMemory } from "./memories.ts";
import { MetricsBody, type MetricsGiven } from "./metrics-body.ts";
import {
  METRICS_SOURCE,
  type OtlpBody,
  type OtlpPart,
  REMOTE_WRITE_SOURCES,
  worseSources,
} from "./otlp-body.ts";
import { SeenSpans } from "./seen-spans.ts";
import { SpansBody } from "./spans-body.ts";

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
}

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
}: OtlpWriterDependencies): WriteOtlp {
  const kinds = new KindLimit();
  const kept = new LiveSamples(samples?.bytesMax ?? 0);
  const turns = new KeyedMutex();

  const keyOf = ({ loadTestId, environment }: LiveTarget) =>
    JSON.stringify([project, loadTestId, environment]);

  async function writeNext(write: OtlpWrite | PointsWrite): Promise<OtlpReport> {
    const { target, signal, body } = write;
    const { loadTestId, store, state } = openTarget(whole, target, now);
    const key = keyOf(target);
    const live = await store.points.liveSources(loadTestId);
    const sources = new Set(live.map(({ sourceId }) => sourceId));
    const memory = await memoryOf(key, sources, state);
    const decoded: OtlpBody =
      write.signal === "traces"
        ? new SpansBody(memory, { ...write, samples })
        : new MetricsBody(
            memory,
            target.environment === undefined ? sources : undefined,
            write.signal === "remote-write"
              ? write
              : {
                  points: readMetrics(body, write.form),
                  source: METRICS_SOURCE,
                  facets: write.facets,
                },
          );
    const yielder = new Yielder();
    await reading.run(key, async () => {
      for (const _ of decoded.read()) if (yielder.isDue()) await yielder.next();
    });
    const digest = createHash("sha256").update(signal).update(body).digest("hex");
    const sequence = sequenceOf(digest);
    let { rejected } = decoded;
    const remarks = [...decoded.remarks];
    // If only some parts are stored, the body is sent again, and read as it was this time.
    memories.keep(key, memory, now());
    for (const part of decoded.parts) {
      await yielder.pass();
      const report = await writePart(part, { loadTestId, store, sequence, sources, memory });
      rejected += report.rejected;
      remarks.push(...report.remarks);
    }
    // A body that was stored without its totals is sent again: it was not acknowledged.
    if (decoded.totals !== undefined) await state.keep(decoded.totals);
    decoded.commit();
    memories.keep(key, memory, now());
    return { rejected, remarks };
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

function newMemory(
  sources: ReadonlySet<string>,
  totals: string | undefined,
): Omit<OtlpMemory, "isIncomplete"> {
  const known = totals === undefined ? undefined : CumulativeSeries.read(totals);
  const series = known ?? new CumulativeSeries(!hasOtlp(sources));
  return { spans: new SeenSpans(), series, hasStored: false };
}

function hasOtlp(sources: ReadonlySet<string>): boolean {
  const remote: ReadonlySet<string> = new Set(REMOTE_WRITE_SOURCES);
  return [...sources].some((sourceId) => sourceId.startsWith("otlp-") || remote.has(sourceId));
}
