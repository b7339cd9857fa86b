import { createHash } from "node:crypto";
import { LruCache } from "../../concurrency/lru-cache.ts";
import { KeyedMutex } from "../../concurrency/mutex.ts";
import { CumulativeSeries } from "../../decode/otlp/cumulative.ts";
import type { OtlpForm } from "../../decode/otlp/read-body.ts";
import { type ImportTarget, ensureLoadTest } from "../../import/ensure-load-test.ts";
import { KindLimit } from "../../import/kind-limit.ts";
import { isEnvironment } from "../../model/measures/environment.ts";
import type { StoredTexts } from "../../store/store.ts";
import { UNSTORED_REASONS } from "../../model/measures/measure-table.ts";
import { appendFitting, NO_MEASUREMENTS, sequenceOf } from "../append-fitting.ts";
import { MetricsBody } from "./metrics-body.ts";
import { type OtlpBody, type OtlpMemory, type OtlpPart, worseSources } from "./otlp-body.ts";
import { SeenSpans } from "./seen-spans.ts";
import { SpansBody } from "./spans-body.ts";

/** A body of OpenTelemetry's protocol over HTTP. */
export interface OtlpWrite {
  /** Created if it does not exist. Or of `targetOfEnvironment`. */
  readonly loadTestId: string;
  readonly signal: "traces" | "metrics";
  readonly form: OtlpForm;
  readonly body: Uint8Array;
}

export interface OtlpReport {
  /** Spans, or values of points, that are not stored. */
  readonly rejected: number;
  /** Why, and what else is not shown as it was sent. */
  readonly remarks: readonly string[];
}

interface OtlpWriterDependencies {
  readonly store: ImportTarget;
  /** Totals by what they are written to. */
  readonly states: StoredTexts;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Load tests that are remembered; each takes up to 16 MB for its spans. */
const REMEMBERED_MAX = 8;

/**
 * Writes what can be stored; durable and visible when the promise resolves. The same body twice counts once. Throws
 * `bad-batch` for a body that is not OTLP, and what the store throws; the write can then be repeated.
 */
type WriteOtlp = (write: OtlpWrite) => Promise<OtlpReport>;

export function createOtlpWriter({ store, states, now }: OtlpWriterDependencies): WriteOtlp {
  const kinds = new KindLimit();
  const turns = new KeyedMutex();
  const memories = new LruCache<string, OtlpMemory>(REMEMBERED_MAX);

  async function writeNext({ loadTestId, signal, form, body }: OtlpWrite): Promise<OtlpReport> {
    const live = await store.points.liveSources(loadTestId);
    const sources = new Set(live.map(({ sourceId }) => sourceId));
    const memory = memories.get(loadTestId) ?? newMemory(sources, await states.find(loadTestId));
    memories.set(loadTestId, memory, 1);
    const decoded: OtlpBody =
      signal === "traces"
        ? new SpansBody(body, form, memory)
        : new MetricsBody(body, form, memory, isEnvironment(loadTestId) ? undefined : sources);
    const digest = createHash("sha256").update(signal).update(body).digest("hex");
    const sequence = sequenceOf(digest);
    let rejected = 0;
    const remarks = [...decoded.remarks];
    for (const part of decoded.parts) {
      const report = await writePart(part, { loadTestId, sequence, sources });
      rejected += report.rejected;
      remarks.push(...report.remarks);
    }
    // A body that was stored without its totals is sent again: it was not acknowledged.
    if (decoded.totals !== undefined) await states.keep(loadTestId, decoded.totals);
    decoded.commit();
    return { rejected, remarks };
  }

  async function writePart(
    { sourceId, format, collector, tables }: OtlpPart,
    about: {
      readonly loadTestId: string;
      readonly sequence: number;
      readonly sources: ReadonlySet<string>;
    },
  ): Promise<OtlpReport> {
    const { loadTestId, sequence, sources } = about;
    const unread = collector.rejections.map(({ reason }) => reason);
    const flushed = collector.flush(tables);
    const quality = collector.takeRows();
    collector.release();
    if (flushed === undefined && quality === undefined) return { rejected: 0, remarks: [] };
    const contents = flushed ?? NO_MEASUREMENTS;
    await ensureLoadTest(store, { id: loadTestId, name: loadTestId }, now());
    const limited = kinds.limit(loadTestId, contents);
    const source = { loadTestId, sourceId, visibility: "live", format, sequence, quality } as const;
    const { requests, refusal } = await appendFitting(store, { ...source, ...limited });
    for (const worse of worseSources(sourceId)) {
      if (sources.has(worse)) await store.points.withdraw(loadTestId, worse);
    }
    const unstored = UNSTORED_REASONS.map(
      (reason) => [reason, contents.measures?.unstored[reason] ?? 0] as const,
    ).filter(([, count]) => count > 0);
    return {
      rejected: unstored.reduce((sum, [, count]) => sum + count, collector.rejected + requests),
      remarks: [
        ...unread,
        ...(refusal === undefined ? [] : [refusal]),
        ...unstored.map(([reason, count]) => `values that are not stored, by ${reason}: ${count}`),
      ],
    };
  }

  return (write) => turns.run(write.loadTestId, () => writeNext(write));
}

function newMemory(sources: ReadonlySet<string>, totals: string | undefined): OtlpMemory {
  const isFromBeginning = [...sources].every((sourceId) => !sourceId.startsWith("otlp-"));
  const known = totals === undefined ? undefined : CumulativeSeries.read(totals);
  return { spans: new SeenSpans(), series: known ?? new CumulativeSeries(isFromBeginning) };
}
