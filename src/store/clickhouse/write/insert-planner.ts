import type { LabelLimit } from "../../label-limit.ts";
import type { PointBatch } from "../../store.ts";
import { type ContestedBatch, contestKey } from "./batch-contests.ts";
import type { Claims } from "../catalogue/claims.ts";
import type { Contents } from "./contents.ts";
import type { ShardKey } from "../catalogue/attributes.ts";
import { followsColumn } from "./contents-choice.ts";
import {
  readManifests,
  type SourceManifest,
  type SourceManifests,
  sourcesIn,
} from "../read/source-manifest.ts";
import {
  type LabelSets,
  labelsKey,
  readLabelSets,
  type RecordedLabels,
} from "../read/label-rows.ts";
import { AppendPlan, type PlannedBatch, type TakenBatch } from "./plan.ts";
import type { Replicas } from "../cluster/replicas.ts";
import type { BatchRows } from "./rows.ts";
import { currentSource } from "../catalogue/sources.ts";
import { digestsIn, digestsQuery, type StoredDigest } from "./stored-digests.ts";

export interface ShardWriterOptions {
  readonly limit: LabelLimit;
  /** Milliseconds since the epoch. */
  readonly nowMs: () => number;
  /** Unique number of this process in its rows. */
  readonly writer: bigint;
  readonly claims: Claims;
}

export interface WaitingBatch {
  readonly shardKey: ShardKey;
  readonly batch: PointBatch;
  readonly contents: Contents;
  readonly settle: (outcome: { readonly duplicate: boolean } | Error) => void;
}

export interface Decision {
  readonly waiting: PlannedWaiting;
  /** Resolved when all rows of the insert are stored. */
  readonly outcome: { readonly duplicate: boolean } | Error;
  readonly rows: BatchRows | undefined;
  /** Set unless it is refused. */
  readonly contested: ContestedBatch | undefined;
}

/** Decisions of an insert; other inserts count its batches as stored until `end` is called. */
export interface InsertPlan {
  readonly decisions: readonly Decision[];
  end(): void;
}

interface Basis {
  readonly manifest: SourceManifest;
  readonly planned: readonly PlannedWaiting[];
  readonly labels: LabelSets | undefined;
}

interface PlannedWaiting extends WaitingBatch, PlannedBatch {}

interface SharedState {
  readonly recorded: RecordedLabels;
  readonly inFlight: InFlightBatches;
}

type Digests = ReadonlyMap<string, StoredDigest>;

export class InsertPlanner {
  readonly #replicas: Replicas;
  readonly #options: ShardWriterOptions;
  readonly #shared: SharedState;

  constructor(replicas: Replicas, options: ShardWriterOptions, shared: SharedState) {
    this.#replicas = replicas;
    this.#options = options;
    this.#shared = shared;
  }

  async plan(waiting: readonly WaitingBatch[]): Promise<InsertPlan> {
    const groups = [...Map.groupBy(waiting, ({ shardKey }) => keyOf(shardKey)).values()];
    const shardKeys = groups.flatMap(([first]) => first?.shardKey ?? []);
    const manifests = await readManifests(this.#replicas, shardKeys, this.#options.nowMs());
    const digests = await this.#digests(manifests, waiting);
    const bases = await Promise.all(groups.map((group) => this.#basis(manifests, group)));
    const { limit } = this.#options;
    const { inFlight } = this.#shared;
    // No await from here on, so that concurrent inserts see each other.
    const ends: (() => void)[] = [];
    const decisions = bases.flatMap(({ planned, manifest, labels }) => {
      const loadTest = keyOf(manifest.shardKey);
      const basis = { manifest, digests, labels, inFlight: inFlight.of(loadTest), limit };
      const plan = new AppendPlan(basis);
      const decided = planned.map((each) => this.#decide(plan, each, basis));
      const taken = decided.flatMap(({ rows, waiting: each }) => (rows ? each : []));
      ends.push(inFlight.begin(loadTest, taken));
      return decided;
    });
    return { decisions, end: () => ends.forEach((end) => end()) };
  }

  async #basis(manifests: SourceManifests, group: readonly WaitingBatch[]): Promise<Basis> {
    const { shardKey } = group[0] as WaitingBatch;
    const manifest = { shardKey, sources: sourcesIn(manifests, shardKey) };
    const planned = group.map((each): PlannedWaiting => {
      const { number, source } = currentSource(manifest.sources, each.batch.sourceId);
      // Labels recorded in a batch that does not count are recorded again.
      const { hasConflicts = false, setAside = [] } = source?.batches ?? {};
      const isForgotten = hasConflicts || setAside.length > 0;
      const { labels } = each.contents;
      const newLabels = isForgotten
        ? labels
        : this.#shared.recorded.notRecorded(labelsKey(shardKey, number), labels);
      return { ...each, newLabels };
    });
    const bringsLabels = planned.some(({ newLabels }) => newLabels.length > 0);
    const labels = bringsLabels
      ? await readLabelSets(this.#replicas, manifests.node, manifest)
      : undefined;
    return { manifest, planned, labels };
  }

  #decide(
    plan: AppendPlan,
    waiting: PlannedWaiting,
    state: { readonly manifest: SourceManifest; readonly digests: Digests },
  ): Decision {
    try {
      const taken = plan.decide(waiting);
      const contested = this.#contested(waiting, state, taken !== undefined);
      const isClaimed = contested.contest === "claim";
      const { nowMs, writer } = this.#options;
      const stored = { storedAtMs: nowMs(), writer, isClaimed };
      const rows = taken && rowsOf(taken, waiting.shardKey, stored);
      return { waiting, outcome: { duplicate: taken === undefined }, rows, contested };
    } catch (error) {
      if (error instanceof Error) {
        return { waiting, outcome: error, rows: undefined, contested: undefined };
      }
      throw error;
    }
  }

  #contested(
    { shardKey, batch, contents }: WaitingBatch,
    { manifest, digests }: { readonly manifest: SourceManifest; readonly digests: Digests },
    isNew: boolean,
  ): ContestedBatch {
    const { number, source } = currentSource(manifest.sources, batch.sourceId);
    const contested = { shardKey, batch, contents, source: number };
    if (isNew) {
      const isOurs = source?.batches?.soleWriter === this.#options.writer;
      return { ...contested, contest: isOurs ? "confirm" : "claim" };
    }
    const stored = digests.get(contestKey(contested));
    // If it is not stored yet, its outcome is that of the insert that stores it.
    const isOpen = stored?.isClaimed === false;
    return { ...contested, contest: isOpen ? "confirm" : "settled" };
  }

  /** Returns those of the batches that are already stored, by `batchKey`. */
  async #digests(manifests: SourceManifests, waiting: readonly WaitingBatch[]): Promise<Digests> {
    const known = waiting.flatMap(({ shardKey, batch }) => {
      const sources = sourcesIn(manifests, shardKey);
      const { number, source } = currentSource(sources, batch.sourceId);
      const last = source?.batches?.lastSequence ?? -1;
      return batch.sequence <= last ? [{ shardKey, source: number, sequence: batch.sequence }] : [];
    });
    if (known.length === 0) return new Map();
    const { database } = this.#replicas.settings;
    return digestsIn(await this.#replicas.readSmall(manifests.node, digestsQuery(database, known)));
  }
}

function keyOf({ loadTestId, incarnation }: ShardKey): string {
  return `${loadTestId} ${incarnation}`;
}

function rowsOf(
  { batch, contents, newLabels, source, generation }: TakenBatch,
  shardKey: ShardKey,
  stored: Pick<BatchRows, "storedAtMs" | "writer" | "isClaimed">,
): BatchRows {
  const { sourceId, sequence, follows, visibility, format, unrecorded } = batch;
  return {
    shardKey,
    source,
    sequence,
    follows: followsColumn(follows),
    note: { sourceId, generation, isLive: visibility === "live", format, unrecorded },
    contents,
    newLabels,
    ...stored,
  };
}

interface Entry {
  readonly loadTest: string;
  readonly planned: PlannedBatch;
  /** Inserts up to this number may have been planned before it was stored; `Infinity`: not stored yet. */
  lastUnaware: number;
}

/** Coordinates concurrent inserts: tracks batches that one stores and another, planned earlier, has not seen. */
export class InFlightBatches {
  readonly #active = new Set<number>();
  #entries: Entry[] = [];
  #inserts = 0;

  beginInsert(): number {
    this.#active.add(++this.#inserts);
    return this.#inserts;
  }

  endInsert(insert: number): void {
    this.#active.delete(insert);
    const first = Math.min(Infinity, ...this.#active);
    this.#entries = this.#entries.filter(({ lastUnaware }) => lastUnaware >= first);
  }

  /** Registers batches of a load test that are about to be stored, until the returned function is called. */
  begin(loadTest: string, batches: readonly PlannedBatch[]): () => void {
    const entries = batches.map((planned): Entry => ({ loadTest, planned, lastUnaware: Infinity }));
    this.#entries.push(...entries);
    return () => {
      for (const entry of entries) entry.lastUnaware = this.#inserts;
    };
  }

  /** Returns the batches of a load test that an insert may not see in the store. */
  of(loadTest: string): readonly PlannedBatch[] {
    return this.#entries.flatMap((entry) => (entry.loadTest === loadTest ? entry.planned : []));
  }
}
