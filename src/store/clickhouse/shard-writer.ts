/**
 * Writes to one shard, one insert after the other: batches that come while one is under way go
 * together with the next, whichever load tests they are of, since a server takes few inserts a
 * second, but large ones.
 */

import type { LabelLimit } from "../label-limit.ts";
import type { PointBatch } from "../store.ts";
import type { Replicas } from "./replicas.ts";
import { confirmRows, isOneOf, type StoredRows } from "./confirm.ts";
import type { Contents, ToldLabel } from "./contents.ts";
import { type Place, preferenceOf, type StoredLoadTest } from "./facts.ts";
import { followsColumn } from "./forks.ts";
import { anyPlace, type HeadOptions, type Heads, readHeads } from "./head.ts";
import {
  type LabelSets,
  labelSetsIn,
  labelsIn,
  labelsQuery,
  labelSetsQuery,
  ToldLabels,
  toldKey,
} from "./label-rows.ts";
import { AppendPlan, batchKey, type PlannedBatch, type TakenBatch } from "./plan.ts";
import {
  type BatchRows,
  encodeBatches,
  encodeEvents,
  EVENT_SEQUENCE,
  type EventRow,
} from "./rows.ts";
import { currentSource, type StoredSource } from "./sources.ts";
import { visibleRows } from "./visible.ts";

/** Points of an insert, more or less: it ends with the batch that passes it. */
const POINTS_PER_INSERT = 100_000;
/** Servers take rows of at most 100 months in one insert. */
const LOAD_TESTS_PER_INSERT = 50;

export interface ShardWriterOptions extends HeadOptions {
  readonly limit: LabelLimit;
  readonly nowMs: () => number;
  /** Whether the server itself acknowledges no insert that only one replica has. */
  readonly hasQuorum: boolean;
}

interface Waiting {
  readonly place: Place;
  readonly batch: PointBatch;
  readonly contents: Contents;
  readonly settle: (outcome: { duplicate: boolean } | Error) => void;
}

export class ShardWriter {
  readonly #replicas: Replicas;
  readonly #options: ShardWriterOptions;
  readonly #told = new ToldLabels();
  #waiting: Waiting[] = [];
  #last: Promise<unknown> = Promise.resolve();

  constructor(replicas: Replicas, options: ShardWriterOptions) {
    this.#replicas = replicas;
    this.#options = options;
  }

  /** Stores a batch. Throws what `Points.append` throws. */
  append(
    { place }: StoredLoadTest,
    batch: PointBatch,
    contents: Contents,
  ): Promise<{ readonly duplicate: boolean }> {
    return new Promise((resolve, reject) => {
      const settle: Waiting["settle"] = (outcome) => {
        if (outcome instanceof Error) reject(outcome);
        else resolve(outcome);
      };
      this.#waiting.push({ place, batch, contents, settle });
      if (this.#waiting.length === 1) void this.alone(() => this.#writeWaiting());
    });
  }

  /** Does `work` while nothing else is written to the shard by this process. */
  alone<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#last.then(work, work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  /** Waits for all that has begun. */
  async settle(): Promise<void> {
    await this.#last;
  }

  heads(places: readonly Place[]): Promise<Heads> {
    return readHeads(this.#replicas, places, this.#options);
  }

  /** Stores events: all of them, or none. */
  async writeEvents(events: readonly EventRow[]): Promise<void> {
    if (events.length === 0) return;
    await this.#replicas.insert("measurements", encodeEvents(events), {
      place: preferenceOf(events[0]?.place),
    });
    const places = events.map(({ place }) => place);
    const rows = events.map(({ source, event }) => ({
      source,
      sequence: EVENT_SEQUENCE[event.event],
    }));
    await this.#confirm({ kind: "source", places, rows });
  }

  /** Which labels the sources of a load test have. */
  async labelSets(
    { node }: Heads,
    place: Place,
    sources: readonly StoredSource[],
  ): Promise<LabelSets> {
    const query = labelSetsQuery(this.#options.database, place, visibleRows(sources));
    return labelSetsIn(await this.#replicas.readOn(node, query));
  }

  /** The labels of sources, with their texts. */
  async labels(
    { node }: Heads,
    place: Place,
    sources: readonly StoredSource[],
  ): Promise<readonly ToldLabel[]> {
    const query = labelsQuery(this.#options.database, place, visibleRows(sources));
    return labelsIn(await this.#replicas.readOn(node, query));
  }

  async #writeWaiting(): Promise<void> {
    const waiting = this.#take();
    if (this.#waiting.length > 0) void this.alone(() => this.#writeWaiting());
    try {
      await this.#write(waiting);
    } catch (error) {
      const failure = error instanceof Error ? error : new Error(String(error));
      for (const { settle } of waiting) settle(failure);
    }
  }

  #take(): readonly Waiting[] {
    const loadTests = new Set<string>();
    let points = 0;
    let count = 0;
    for (const { place, contents } of this.#waiting) {
      loadTests.add(place.loadTestId);
      if (points >= POINTS_PER_INSERT || loadTests.size > LOAD_TESTS_PER_INSERT) break;
      points += contents.points.second.length;
      count += 1;
    }
    const taken = this.#waiting.slice(0, count);
    this.#waiting = this.#waiting.slice(count);
    return taken;
  }

  async #write(waiting: readonly Waiting[]): Promise<void> {
    const byPlace = Map.groupBy(waiting, ({ place }) => `${place.loadTestId} ${place.incarnation}`);
    const groups = [...byPlace.values()];
    const heads = await this.heads(groups.flatMap(([first]) => first?.place ?? []));
    const digests = await this.#digests(heads, waiting);
    const plans = await Promise.all(groups.map((group) => this.#plan(heads, group, digests)));
    const decided = plans.flat();
    const taken = decided.flatMap(({ rows }) => rows ?? []);
    if (taken.length > 0) await this.#insert(taken);
    for (const { settle, outcome } of decided) settle(outcome);
  }

  async #insert(batches: readonly BatchRows[]): Promise<void> {
    await this.#replicas.insert("measurements", encodeBatches(batches), {
      place: preferenceOf(batches[0]?.place),
    });
    const places = new Map(batches.map(({ place }) => [place.loadTestId, place]));
    await this.#confirm({ kind: "batch", places: [...places.values()], rows: batches });
    for (const { place, source, newLabels } of batches) {
      this.#told.learn(toldKey(place, source), newLabels);
    }
  }

  async #confirm(rows: StoredRows): Promise<void> {
    // The server has done so itself where a quorum is asked for.
    if (!this.#options.hasQuorum) await confirmRows(this.#replicas, rows, this.#options);
  }

  async #plan(
    heads: Heads,
    group: readonly Waiting[],
    digests: ReadonlyMap<string, bigint>,
  ): Promise<Decided[]> {
    const place = group[0]?.place as Place;
    const head = heads.byId.get(place.loadTestId);
    if (head === undefined) throw new Error(`BUG: no head of load test "${place.loadTestId}"`);
    const planned = group.map(({ batch, contents }) => {
      const { number, source } = currentSource(head.sources, batch.sourceId);
      // Labels that were told in a batch that does not count have to be told again.
      const isForgotten = source?.batches?.hasForks === true;
      const { labels } = contents;
      const untold = isForgotten ? labels : this.#told.untold(toldKey(place, number), labels);
      return { batch, contents, untold };
    });
    const bringsLabels = planned.some(({ untold }) => untold.length > 0);
    const labels = bringsLabels ? await this.labelSets(heads, place, head.sources) : undefined;
    const plan = new AppendPlan({ head, digests, labels, limit: this.#options.limit });
    return group.map(({ settle }, at) => ({
      settle,
      ...this.#decide(plan, planned[at] as PlannedBatch, place),
    }));
  }

  #decide(
    plan: AppendPlan,
    planned: PlannedBatch,
    place: Place,
  ): Pick<Decided, "outcome" | "rows"> {
    try {
      const taken = plan.decide(planned);
      if (taken === undefined) return { outcome: { duplicate: true } };
      return {
        outcome: { duplicate: false },
        rows: rowsOf(taken, place, this.#options.nowMs()),
      };
    } catch (error) {
      if (error instanceof Error) return { outcome: error };
      throw error;
    }
  }

  /** Digests of those of the batches that are stored already, by `batchKey`. */
  async #digests(
    { node, byId }: Heads,
    waiting: readonly Waiting[],
  ): Promise<ReadonlyMap<string, bigint>> {
    const known = waiting.flatMap(({ place, batch }) => {
      const sources = byId.get(place.loadTestId)?.sources ?? [];
      const { number, source } = currentSource(sources, batch.sourceId);
      const last = source?.batches?.lastSequence ?? -1;
      return batch.sequence <= last ? [{ place, source: number, sequence: batch.sequence }] : [];
    });
    if (known.length === 0) return new Map();
    const blocks = await this.#replicas.readOn(
      node,
      `SELECT source, sequence, digest FROM ${this.#options.database}.measurements FINAL
WHERE kind = 'batch' AND ${anyPlace(known.map(({ place }) => place))} AND ${isOneOf(known)}`,
    );
    return new Map(
      blocks.flatMap((block) => {
        const [sources, digests] = [block.bigints("source"), block.bigints("digest")];
        const sequences = block.numbers("sequence");
        return Array.from(sources, (source, row): [string, bigint] => [
          batchKey(source, sequences[row] as number),
          digests[row] as bigint,
        ]);
      }),
    );
  }
}

interface Decided {
  readonly settle: Waiting["settle"];
  readonly outcome: { readonly duplicate: boolean } | Error;
  readonly rows?: BatchRows;
}

function rowsOf(
  { batch, contents, untold, source, generation }: TakenBatch,
  place: Place,
  storedAtMs: number,
): BatchRows {
  const { sourceId, sequence, follows, visibility, format } = batch;
  return {
    place,
    source,
    sequence,
    follows: followsColumn(follows),
    note: { sourceId, generation, isLive: visibility === "live", format },
    contents,
    newLabels: untold,
    storedAtMs,
  };
}
