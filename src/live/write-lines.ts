import { createCipheriv, createSecretKey } from "node:crypto";
import { Yielder } from "../concurrency/yielder.ts";
import { WRITE_CHARACTERS_MAX } from "../decode/kept-requests.ts";
import { LruCache } from "../concurrency/lru-cache.ts";
import type { DecodeOptions, FacetValues, LineProtocolOptions } from "../decode/decoder.ts";
import {
  LineRouter,
  type LineRouterOptions,
  type RouterNote,
} from "../decode/line-protocol/line-router.ts";
import type { LineSamples, LineTool } from "../decode/line-protocol/line-samples.ts";
import { type Rejection, REJECTIONS_LISTED } from "../model/import-report.ts";
import type { MeasurementBatch } from "../model/data-points.ts";
import type { SampleOptions } from "../model/samples/sample-choice.ts";
import { addUnstored } from "../model/measures/merge-measures.ts";
import { unstoredText } from "../model/measures/series-limits.ts";
import type { NewLoadTestEvent } from "../model/measures/load-test-events.ts";
import { addEvents, ensureLoadTest } from "../import/ensure-load-test.ts";
import { type CollectorTables, MeasurementCollector } from "../import/measurement-collector.ts";
import { KindLimit } from "../import/kind-limit.ts";
import { loadTestNameAfter } from "../import/load-test-id.ts";
import { addRowQuality, type RowQuality } from "../model/quality/row-quality.ts";
import { LINE_MEASURES, REJECTED_LINES } from "../decode/format-quality.ts";
import { NO_MEASUREMENTS, sequenceOf } from "./append-fitting.ts";
import { LiveSamples } from "./live-samples.ts";
import { type LiveStore, type LiveTarget, openTarget } from "./live-target.ts";

/** Receives line protocol from a running load tool. */
export interface LineWrite {
  /** Of points that name no load test. */
  readonly target: LiveTarget;
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly options: LineProtocolOptions & Pick<DecodeOptions, "facets">;
  /** Active users of different senders add up. */
  readonly sender: string;
}

export interface LineWriteReport {
  /** Those written to; `undefined` is an environment. */
  readonly loadTestIds: readonly (string | undefined)[];
  readonly recorded: number;
  readonly rejected: number;
  /** Refusals for load tests that are full of labels. */
  readonly refusals: readonly string[];
  /** Points of other measurements, stored as measures. */
  readonly measured: number;
  readonly rejections: readonly Rejection[];
  readonly notes: readonly RouterNote[];
  readonly isRepeated: boolean;
}

interface LineWriteDependencies {
  readonly store: LiveStore;
  /** @default no request is kept whole */
  readonly samples?: SampleOptions | undefined;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** All writes of requests of a load test share one source, so that a repeated write is recognised. */
const SOURCE_ID = "line-protocol";

/** Load tests whose values of facets are remembered, to count those of all writes. */
const REMEMBERED_MAX = 32;

/** Public: a digest recognises bytes, it does not vouch for them (docs/decisions/007). */
const KEY = createSecretKey(Buffer.from("tachograph lines"));
const NONCE = Buffer.alloc(12);

/**
 * Writes what can be read; durable and visible when the promise resolves. Batches are numbered by the digest of
 * their bytes, so that a retry changes nothing. Throws what reading and the store throw; the write can then be
 * repeated.
 */
type WriteLines = (write: LineWrite) => Promise<LineWriteReport>;

export function createLineWriter(dependencies: LineWriteDependencies): WriteLines {
  const { store: whole, now, samples: sampleOptions } = dependencies;
  const kinds = new KindLimit();
  const live = new LiveSamples(sampleOptions?.bytesMax ?? 0);
  const facetValues = new LruCache<string, FacetValues>(REMEMBERED_MAX);
  return async (write) => {
    const target = openTarget(whole, write.target, now);
    const facetValuesOf = (id = target.loadTestId): FacetValues => {
      const values = facetValues.get(id) ?? new Map();
      facetValues.set(id, values);
      return values;
    };
    const options = { sampleOptions, facetValuesOf };
    const { report, sequence, measured } = await decodeLines(write, now(), options);
    let refusedEvents = 0;
    const refusals: string[] = [];
    const appended = await Promise.all(
      measured.map(async ({ sourceId, format, contents, quality, events, ...named }) => {
        const { loadTestId = target.loadTestId, name = loadTestId } = named;
        const store = named.loadTestId === undefined ? target.store : whole;
        // Of lines that no load tool writes, no run is made: its id may be anything.
        const isUnknown = format === REJECTED_LINES && events.length === 0;
        if (isUnknown && (await store.loadTests.find(loadTestId)) === undefined) return [];
        const loadTest = { id: loadTestId, name: loadTestNameAfter(name, loadTestId) };
        await ensureLoadTest(store, loadTest, now());
        const noRoom = await addEvents(store, loadTestId, events);
        if (noRoom.length > 0) refusedEvents += events.length;
        refusals.push(...noRoom);
        if (contents === undefined && quality === undefined) return [];
        const about = { loadTestId, sourceId, visibility: "live", sequence, quality } as const;
        const limited = kinds.limit(loadTestId, contents ?? NO_MEASUREMENTS);
        return [await live.append(store, { ...about, format, ...limited })];
      }),
    );
    const outcomes = appended.flat();
    const refused = outcomes.reduce((sum, { requests }) => sum + requests, 0);
    // Fields of texts are common, and no measures.
    const unstored = addUnstored(outcomes.map((each) => ({ ...each.unstored, value: 0 })));
    const values = Object.values(unstored).reduce((sum, count) => sum + count, 0);
    const lost = unstoredText(unstored);
    if (lost !== undefined) refusals.push(lost);
    return {
      ...report,
      loadTestIds: measured.map(({ loadTestId }) => loadTestId),
      // A line may have more requests than one.
      recorded: Math.max(0, report.recorded - refused),
      rejected: report.rejected + refused + values + refusedEvents,
      refusals: [...outcomes.flatMap(({ refusal }) => refusal ?? []), ...refusals],
      isRepeated: outcomes.length > 0 && outcomes.every(({ duplicate }) => duplicate),
    };
  };
}

/** What is known of a run of which no line could be read. */
const NOTHING: CollectorTables & Pick<LineSamples, "tools" | "events" | "measurements"> = {
  labels: [],
  failureKinds: [],
  generators: [],
  tools: new Set(),
  events: [],
  measurements: [],
};

interface DecodedLines {
  readonly report: Omit<LineWriteReport, "isRepeated" | "refusals" | "loadTestIds">;
  readonly sequence: number;
  readonly measured: readonly MeasuredLines[];
}

interface MeasuredLines {
  /** `undefined`: the environment. */
  readonly loadTestId: string | undefined;
  readonly name: string | undefined;
  readonly sourceId: string;
  readonly format: string;
  /** `undefined` with events or rejected lines alone. */
  readonly contents: MeasurementBatch | undefined;
  readonly quality: RowQuality | undefined;
  readonly events: readonly NewLoadTestEvent[];
}

interface LinesGiven extends Pick<LineRouterOptions, "facetValuesOf"> {
  readonly sampleOptions: SampleOptions | undefined;
}

async function decodeLines(
  { chunks, options, ...write }: LineWrite,
  receivedAtMs: number,
  { sampleOptions, facetValuesOf }: LinesGiven,
): Promise<DecodedLines> {
  const digest = createCipheriv("aes-128-gcm", KEY, NONCE);
  digest.setAAD(Buffer.from(JSON.stringify(options)));
  const broken: Rejection[] = [];
  let rejected = 0;
  const collectors = new Map<
    string | undefined,
    { readonly name: string | undefined; readonly collector: MeasurementCollector }
  >();
  const collectorOf = (id: string | undefined, name = id): MeasurementCollector => {
    const known = collectors.get(id)?.collector;
    if (known !== undefined) return known;
    const collector = new MeasurementCollector({ isSmall: true, samples: sampleOptions });
    collectors.set(id, { name, collector });
    return collector;
  };
  const router = new LineRouter({
    ...options,
    loadTestId: write.target.loadTestId,
    generator: write.sender,
    receivedAtMs,
    facetValuesOf,
    sampleTexts: { left: WRITE_CHARACTERS_MAX },
    reject(rejection, loadTestId) {
      collectorOf(loadTestId).reject(rejection);
      rejected += 1;
      if (broken.length < REJECTIONS_LISTED) broken.push(rejection);
    },
    sinkOf: collectorOf,
  });
  for await (const chunk of chunks) {
    digest.setAAD(chunk);
    router.push(chunk);
  }
  const notes = router.end();
  // The same point without a time is another one later.
  if (router.usesArrival) digest.setAAD(Buffer.from(String(receivedAtMs)));
  digest.final();
  const yielder = new Yielder();
  for (const { collector } of collectors.values()) {
    for (const _ of collector.samples?.makeWhole() ?? []) await yielder.pass();
  }
  const measured = [...collectors].flatMap(([id, { name, collector }]) => {
    const samples = router.loadTests.get(id) ?? NOTHING;
    const contents = collector.flush(samples);
    const quality = addRowQuality([collector.takeRows(), samples]);
    const { tools, events } = samples;
    if (contents === undefined && quality === undefined && events.length === 0) return [];
    const isMeasured = contents?.measures !== undefined || id === undefined;
    const source = sourceOf(tools, isMeasured || quality === undefined);
    return [{ loadTestId: id, name, ...source, contents, quality, events }];
  });
  return {
    report: {
      recorded: collectors.values().reduce((sum, { collector }) => sum + collector.recorded, 0),
      rejected,
      measured: router.measuredPoints,
      rejections: broken,
      notes,
    },
    sequence: sequenceOf(digest.getAuthTag().toString("hex")),
    measured,
  };
}

/** The format is named by the tool, so that users see the origin of the data. */
function sourceOf(
  tools: ReadonlySet<LineTool>,
  isMeasured: boolean,
): Pick<MeasuredLines, "sourceId" | "format"> {
  if (tools.size === 0) {
    const alone = isMeasured ? LINE_MEASURES : REJECTED_LINES;
    return { sourceId: alone, format: alone };
  }
  const format = [...(tools.size === 1 ? tools : []), "line-protocol"].join("-");
  return { sourceId: SOURCE_ID, format };
}
