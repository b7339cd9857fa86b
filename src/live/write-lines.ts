import { createHash } from "node:crypto";
import type { LineProtocolOptions } from "../decode/decoder.ts";
import { LineRepeats } from "../decode/line-protocol/line-repeats.ts";
import { LineRouter, type RouterNote } from "../decode/line-protocol/line-router.ts";
import type { LineTool } from "../decode/line-protocol/line-samples.ts";
import { UserError } from "../model/errors.ts";
import { type Rejection, REJECTIONS_LISTED } from "../model/import-report.ts";
import type { MeasurementBatch } from "../model/data-points.ts";
import { TooManyLabels } from "../model/label.ts";
import type { PointBatch } from "../store/store.ts";
import { type ImportTarget, ensureLoadTest } from "../import/ensure-load-test.ts";
import { MeasurementCollector } from "../import/measurement-collector.ts";
import { KindLimit } from "../import/kind-limit.ts";
import { loadTestNameAfter } from "../import/load-test-id.ts";
import { withoutLabels } from "../import/without-labels.ts";

/** Points of line protocol that a load tool sends while it runs. */
export interface LineWrite {
  /** The load test of points that name none; it and those that they name are created on the way. */
  readonly loadTestId: string;
  /** Plain bytes, read once. */
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly options: LineProtocolOptions;
  /** Who sends: active users of several senders add up. */
  readonly sender: string;
}

/** What became of it. */
export interface LineWriteReport {
  readonly recorded: number;
  readonly rejected: number;
  /** Of the rejected ones, those whose load test has room for no further labels: what each refused. */
  readonly refusals: readonly string[];
  /** Points that are neither k6's nor JMeter's: no requests, and not kept. */
  readonly foreign: number;
  /** The first of them. */
  readonly rejections: readonly Rejection[];
  /** What a reader of the numbers should know. */
  readonly notes: readonly RouterNote[];
  /** The same bytes had been written before: nothing has changed. */
  readonly isRepeated: boolean;
}

interface LineWriteDependencies {
  readonly store: ImportTarget;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** All writes into a load test are one source, so that a write is known again whoever repeats it. */
const SOURCE_ID = "line-protocol";

/** How much of the SHA-256 numbers a batch: 52 bits, since a number can hold 53. */
const SEQUENCE_HEX_DIGITS = 13;

/**
 * Writes what can be read, durable and visible when the promise is fulfilled: all that is for one
 * load test and of labels for which it has room, or nothing of it. A batch is numbered by the digest of its bytes, so that a client that
 * sends them again, because it saw no answer, changes nothing. Throws what reading the bytes and the
 * store throw; then the same may be written again.
 */
type WriteLines = (write: LineWrite) => Promise<LineWriteReport>;

export function createLineWriter({ store, now }: LineWriteDependencies): WriteLines {
  const kinds = new KindLimit();
  const repeats = new LineRepeats();
  return async (write) => {
    const { report, sequence, measured } = await decodeLines(write, repeats);
    const outcomes = await Promise.all(
      measured.map(async ({ loadTestId, name, format, contents }) => {
        const loadTest = { id: loadTestId, name: loadTestNameAfter(name, loadTestId) };
        await ensureLoadTest(store, loadTest, now());
        const about = { loadTestId, sourceId: SOURCE_ID, visibility: "live", sequence } as const;
        const limited = kinds.limit(loadTestId, contents);
        return appendFitting(store, { ...about, format, ...limited });
      }),
    );
    const refused = outcomes.reduce((sum, { requests }) => sum + requests, 0);
    return {
      ...report,
      recorded: report.recorded - refused,
      rejected: report.rejected + refused,
      refusals: outcomes.flatMap(({ refusal }) => refusal ?? []),
      isRepeated: outcomes.length > 0 && outcomes.every(({ duplicate }) => duplicate),
    };
  };
}

/** A batch on its way, and what had to be left out of it. */
interface Appended {
  readonly duplicate: boolean;
  /** Left out. */
  readonly requests: number;
  /** Why. */
  readonly refusal: string | undefined;
}

/** Appends what the load test has room for: a flood of labels must not cost those that it knows. */
async function appendFitting(
  store: ImportTarget,
  batch: PointBatch & MeasurementBatch,
): Promise<Appended> {
  try {
    return { duplicate: await appendOnce(store, batch), requests: 0, refusal: undefined };
  } catch (error) {
    if (!(error instanceof TooManyLabels)) throw error;
    const { rest, requests } = withoutLabels(batch, error.labels);
    if (requests === 0) throw error;
    const appended = await appendFitting(store, { ...batch, ...rest });
    return {
      duplicate: appended.duplicate,
      requests: appended.requests + requests,
      refusal: error.message,
    };
  }
}

/**
 * Answers whether it was there already. A used number means the same bytes, even where they gave
 * something else at first: users of another address, or other kinds before the server was restarted.
 */
async function appendOnce({ points }: ImportTarget, batch: PointBatch): Promise<boolean> {
  try {
    return (await points.append(batch)).duplicate;
  } catch (error) {
    const isUsed = error instanceof UserError && error.code === "sequence-reused";
    const live = isUsed ? await points.liveSources(batch.loadTestId) : [];
    if (live.some(({ sourceId }) => sourceId === SOURCE_ID)) return true;
    throw error;
  }
}

interface DecodedLines {
  readonly report: Omit<LineWriteReport, "isRepeated" | "refusals">;
  readonly sequence: number;
  readonly measured: readonly MeasuredLines[];
}

/** What came for one load test. */
interface MeasuredLines {
  readonly loadTestId: string;
  readonly name: string;
  readonly format: string;
  readonly contents: MeasurementBatch;
}

async function decodeLines(
  { chunks, options, ...write }: LineWrite,
  repeats: LineRepeats,
): Promise<DecodedLines> {
  const digest = createHash("sha256").update(JSON.stringify(options));
  const broken: Rejection[] = [];
  let rejected = 0;
  const collectors = new Map<
    string,
    { readonly name: string; readonly collector: MeasurementCollector }
  >();
  const router = new LineRouter({
    ...options,
    loadTestId: write.loadTestId,
    generator: write.sender,
    repeats,
    reject(rejection) {
      rejected += 1;
      if (broken.length < REJECTIONS_LISTED) broken.push(rejection);
    },
    sinkOf(id, name) {
      const collector = new MeasurementCollector({ isSmall: true });
      collectors.set(id, { name, collector });
      return collector;
    },
  });
  for await (const chunk of chunks) {
    digest.update(chunk);
    router.push(chunk);
  }
  const notes = router.end();
  const measured = [...collectors].flatMap(([id, { name, collector }]) => {
    const samples = router.loadTests.get(id);
    const contents = samples && collector.flush(samples);
    if (samples === undefined || contents === undefined) return [];
    return [{ loadTestId: id, name, format: formatOf(samples.tools), contents }];
  });
  return {
    report: {
      recorded: [...collectors.values()].reduce(
        (sum, { collector }) => sum + collector.recorded,
        0,
      ),
      rejected,
      foreign: router.foreignPoints,
      rejections: broken,
      notes,
    },
    sequence: Number.parseInt(digest.digest("hex").slice(0, SEQUENCE_HEX_DIGITS), 16),
    measured,
  };
}

/** Named by the tool, so that people see where their load test comes from. */
function formatOf(tools: ReadonlySet<LineTool>): string {
  return [...(tools.size === 1 ? tools : []), "line-protocol"].join("-");
}
