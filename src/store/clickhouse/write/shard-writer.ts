/** Writes to one shard. Batches of any load tests share the next insert, as servers prefer few large ones. */

import { setImmediate as nextTurn, setTimeout } from "node:timers/promises";
import { asError, UserError } from "../../../model/errors.ts";
import type { PointBatch } from "../../store.ts";
import {
  AskedManifests,
  readManifests,
  type SourceManifest,
  type SourceManifests,
} from "../read/source-manifest.ts";
import {
  BatchContests,
  type ContestedBatch,
  contestKey,
  refusalOf,
  type Refused,
} from "./batch-contests.ts";
import { confirmRows, insertConfirmed, type StoredRows } from "./confirm.ts";
import type { Contents, EndpointLabel } from "./contents.ts";
import { contentsKey } from "./contents-choice.ts";
import { type ShardKey, preferenceOf, type StoredLoadTest } from "../catalogue/attributes.ts";
import {
  type LabelSets,
  labelsIn,
  labelsQuery,
  readLabelSets,
  RecordedLabels,
  labelsKey,
} from "../read/label-rows.ts";
import { ConcurrencyLimiter } from "../../../concurrency/concurrency-limiter.ts";
import type { Replicas } from "../cluster/replicas.ts";
import {
  type BatchRows,
  encodeBatches,
  encodeEvents,
  EVENT_SEQUENCE,
  type EventRow,
} from "./rows.ts";
import {
  type Decision,
  InFlightBatches,
  type InsertPlan,
  InsertPlanner,
  type ShardWriterOptions,
  type WaitingBatch,
} from "./insert-planner.ts";
import { visibleRows } from "../read/visible.ts";

/** Concurrent inserts: while the server writes one, the next one is encoded and sent. */
const INSERTS_MAX = 2;
/** Approximate points per insert: it ends with the batch that exceeds this. */
const POINTS_PER_INSERT = 200_000;
/** Servers accept rows of at most 100 months in one insert. */
const LOAD_TESTS_PER_INSERT = 50;
/** If a replica fails while the state is read, another one is queried. */
const PLAN_ATTEMPTS = 5;
const PLAN_AGAIN_MS = 100;

export class ShardWriter {
  readonly #replicas: Replicas;
  readonly #options: ShardWriterOptions;
  readonly #planner: InsertPlanner;
  readonly #contests: BatchContests;
  readonly #recorded = new RecordedLabels();
  readonly #inFlight = new InFlightBatches();
  readonly #limiter = new ConcurrencyLimiter(INSERTS_MAX, () => this.#writeSoon());
  /** Sources of batches in flight: all batches of a source share an insert. */
  readonly #busySources = new Set<string>();
  readonly #askedManifests = new AskedManifests((shardKeys) => this.manifests(shardKeys));
  #waiting: WaitingBatch[] = [];
  #willWrite = false;

  constructor(replicas: Replicas, options: ShardWriterOptions) {
    this.#replicas = replicas;
    this.#options = options;
    const shared = { recorded: this.#recorded, inFlight: this.#inFlight };
    this.#planner = new InsertPlanner(replicas, options, shared);
    this.#contests = new BatchContests(replicas, options.claims);
  }

  /** Stores a batch. Throws what `Points.append` throws. */
  append(
    { shardKey }: StoredLoadTest,
    batch: PointBatch,
    contents: Contents,
  ): Promise<{ readonly duplicate: boolean }> {
    return new Promise((resolve, reject) => {
      const settle: WaitingBatch["settle"] = (outcome) => {
        if (outcome instanceof Error) reject(outcome);
        else resolve(outcome);
      };
      this.#waiting.push({ shardKey, batch, contents, settle });
      this.#writeSoon();
    });
  }

  /** Runs `work` while this process writes nothing else to the shard. */
  runExclusive<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#limiter.runExclusive(work);
  }

  async settle(): Promise<void> {
    do {
      await nextTurn();
      await this.#limiter.settle();
    } while (this.#waiting.length > 0);
  }

  manifests(shardKeys: readonly ShardKey[]): Promise<SourceManifests> {
    return readManifests(this.#replicas, shardKeys, this.#options.nowMs());
  }

  /** Returns the manifest of one load test; concurrent calls share a query. */
  manifest(shardKey: ShardKey): Promise<SourceManifests> {
    return this.#askedManifests.ask(shardKey);
  }

  async writeEvents(events: readonly EventRow[]): Promise<void> {
    if (events.length === 0) return;
    const rows = events.map(({ shardKey, source, event }) => ({
      shardKey,
      source,
      sequence: EVENT_SEQUENCE[event.event],
      contentsKey: 0,
    }));
    await this.#store(encodeEvents(events), { kind: "source", rows });
  }

  labelSets({ node }: SourceManifests, manifest: SourceManifest): Promise<LabelSets> {
    return readLabelSets(this.#replicas, node, manifest);
  }

  async labels(
    { node }: SourceManifests,
    { shardKey, sources }: SourceManifest,
  ): Promise<readonly EndpointLabel[]> {
    const { database } = this.#replicas.settings;
    const query = labelsQuery(database, shardKey, visibleRows(sources));
    return labelsIn(await this.#replicas.readOn(node, query));
  }

  /** Waits until everything that can arrive now has arrived. */
  #writeSoon(): void {
    if (this.#willWrite) return;
    this.#willWrite = true;
    setImmediate(() => {
      this.#willWrite = false;
      this.#writeWaiting();
    });
  }

  #writeWaiting(): void {
    while (this.#limiter.isFree) {
      const waiting = this.#take();
      if (waiting.length === 0) return;
      this.#limiter.start(() => this.#runInsert(waiting));
    }
  }

  async #runInsert(waiting: readonly WaitingBatch[]): Promise<void> {
    const insert = this.#inFlight.beginInsert();
    try {
      await this.#write(waiting);
    } catch (error) {
      for (const { settle } of waiting) settle(asError(error));
    } finally {
      this.#inFlight.endInsert(insert);
      for (const each of waiting) this.#busySources.delete(sourceKey(each));
    }
  }

  /** Returns the batches of the next insert, in order, without sources that another insert is storing. */
  #take(): readonly WaitingBatch[] {
    const loadTests = new Set<string>();
    const [taken, left]: [WaitingBatch[], WaitingBatch[]] = [[], []];
    const passedOver = new Set<string>();
    let points = 0;
    for (const each of this.#waiting) {
      const source = sourceKey(each);
      const isFull = points >= POINTS_PER_INSERT || loadTests.size >= LOAD_TESTS_PER_INSERT;
      if (isFull || this.#busySources.has(source) || passedOver.has(source)) {
        passedOver.add(source);
        left.push(each);
        continue;
      }
      loadTests.add(each.shardKey.loadTestId);
      points += each.contents.points.second.length;
      taken.push(each);
    }
    for (const each of taken) this.#busySources.add(sourceKey(each));
    this.#waiting = left;
    return taken;
  }

  async #write(waiting: readonly WaitingBatch[]): Promise<void> {
    const plan = await this.#plan(waiting).catch(asError);
    if (plan instanceof Error) return this.#writeApart(waiting, plan);
    try {
      const refused = await this.#insertContested(plan.decisions);
      for (const { waiting: each, outcome, contested } of plan.decisions) {
        const why = contested && refused.get(contestKey(contested));
        each.settle(why === undefined ? outcome : refusalOf(each.batch, why));
      }
    } finally {
      plan.end();
    }
  }

  /** Stores what no other process contests. Returns the contested batches. */
  async #insertContested(decisions: readonly Decision[]): Promise<Refused> {
    const refused = await this.#contests.decide("claim", contestedIn(decisions));
    const isKept = ({ contested }: Decision): boolean =>
      contested !== undefined && !refused.has(contestKey(contested));
    const kept = decisions.filter(isKept);
    await this.#insert(kept.flatMap(({ rows }) => rows ?? []));
    const unconfirmed = await this.#contests.decide("confirm", contestedIn(kept));
    for (const [key, why] of unconfirmed) refused.set(key, why);
    for (const { rows } of decisions.filter(isKept)) {
      if (rows !== undefined)
        this.#recorded.learn(labelsKey(rows.shardKey, rows.source), rows.newLabels);
    }
    return refused;
  }

  /** A problem of one load test must not fail writes to others. */
  async #writeApart(waiting: readonly WaitingBatch[], error: Error): Promise<void> {
    const groups = [...Map.groupBy(waiting, ({ shardKey }) => shardKey.loadTestId).values()];
    if (groups.length === 1 || isAway(error)) throw error;
    const written = groups.map((group) =>
      this.#write(group).catch((failure: unknown) => {
        for (const { settle } of group) settle(asError(failure));
      }),
    );
    await Promise.all(written);
  }

  async #plan(waiting: readonly WaitingBatch[]): Promise<InsertPlan> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#planner.plan(waiting);
      } catch (error) {
        if (!isAway(error) || attempt === PLAN_ATTEMPTS) throw error;
        await setTimeout(PLAN_AGAIN_MS);
      }
    }
  }

  async #insert(batches: readonly BatchRows[]): Promise<void> {
    if (batches.length === 0) return;
    const rows = batches.map(({ shardKey, source, sequence, contents }) => ({
      shardKey,
      source,
      sequence,
      contentsKey: contentsKey(contents.digest),
    }));
    await this.#store(encodeBatches(batches), { kind: "batch", rows });
  }

  async #store(block: readonly Uint8Array[], stored: StoredRows): Promise<void> {
    const options = { preference: preferenceOf(stored.rows[0]?.shardKey) };
    await insertConfirmed(
      () => this.#replicas.insert("measurements", block, options),
      () => confirmRows(this.#replicas, stored),
    );
  }
}

function contestedIn(decisions: readonly Decision[]): readonly ContestedBatch[] {
  return decisions.flatMap(({ contested }) => contested ?? []);
}

function isAway(error: unknown): boolean {
  return error instanceof UserError && error.code === "store-unreachable";
}

function sourceKey({ shardKey, batch }: WaitingBatch): string {
  return `${shardKey.loadTestId} ${shardKey.incarnation} ${batch.sourceId}`;
}
