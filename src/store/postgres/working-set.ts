/** Rows of one load test, read within a transaction; what the rules of writing change of them is then stored at once. */

import { randomInt } from "node:crypto";
import { packPercentiles, packSamples } from "../block/packed-details.ts";
import { addRowQuality } from "../../model/quality/row-quality.ts";
import type { LabelLimit } from "../label-limit.ts";
import type { LoadTestRow } from "../sqlite/catalogue/load-test-rows.ts";
import {
  addRoleCounts,
  NO_ROLE_COUNTS,
  type RoleCounts,
  EMPTY_TALLY,
} from "../sqlite/catalogue/tally.ts";
import type { LabelNumbers, WriteTarget } from "../sqlite/write-target.ts";
import { addBlock } from "./segments.ts";
import { NOW_MS, type Statement } from "./database.ts";
import { saveLoadTest } from "./load-test-table.ts";
import { saveSource, storedCounts, type StoredSource } from "./source-rows.ts";

/** Needed rows that were not read; the work is repeated with all sources. */
export class NeedsAllSources extends Error {}

/**
 * Revisions jump at random: after a failover to a standby without the last transactions, none of theirs comes again, and
 * with it the entity tag of other data.
 */
const JUMP_MAX = 2 ** 24;

export function laterRevision(revision: number): number {
  return revision + randomInt(1, JUMP_MAX);
}

export interface ReadRows {
  readonly row: LoadTestRow;
  /** See `StoredLoadTest`. */
  readonly latestRevision: number;
  readonly sources: readonly StoredSource[];
  readonly hasAll: boolean;
  readonly digests: ReadonlyMap<string, Uint8Array>;
  /** Role counts of the batches of staged sources. */
  readonly roleCounts: ReadonlyMap<number, RoleCounts>;
  /** Blocks that are not deleted, by source. */
  readonly blocks: ReadonlyMap<number, number>;
}

interface Environment extends Pick<WriteTarget, "now" | "labelLimit"> {
  readonly known: LabelNumbers;
  /** Unused numbers, at least one for each new block and source. */
  readonly numbers: readonly number[];
  readonly labelLimit: LabelLimit;
}

interface Changes {
  row: LoadTestRow;
  latestRevision: number;
  sources: Map<number, StoredSource>;
  dirty: Set<number>;
  removed: Set<number>;
  digests: Map<string, Uint8Array>;
  statements: Statement[];
  numbers: number[];
}

export function digestKey(source: number, sequence: number): string {
  return `${source} ${sequence}`;
}

export class WorkingSet implements WriteTarget {
  readonly now: () => number;
  readonly labelLimit: LabelLimit;
  readonly reading: WriteTarget["reading"];
  readonly writing: WriteTarget["writing"];
  readonly #read: ReadRows;
  #changes: Changes;

  constructor(read: ReadRows, { now, labelLimit, known, numbers }: Environment) {
    this.now = now;
    this.labelLimit = labelLimit;
    this.reading = { endpoints: { known: () => known } };
    this.#read = read;
    this.#changes = {
      row: read.row,
      latestRevision: read.latestRevision,
      sources: new Map(read.sources.map((source) => [source.number, source])),
      dirty: new Set(),
      removed: new Set(),
      digests: new Map(read.digests),
      statements: [],
      numbers: [...numbers],
    };
    this.writing = this.#open();
  }

  /** Runs `work`; if it throws, nothing of it stays. */
  attempt<Result>(work: () => Result): Result {
    const before: Changes = {
      ...this.#changes,
      sources: new Map(this.#changes.sources),
      dirty: new Set(this.#changes.dirty),
      removed: new Set(this.#changes.removed),
      digests: new Map(this.#changes.digests),
      statements: [...this.#changes.statements],
      numbers: [...this.#changes.numbers],
    };
    try {
      return work();
    } catch (error) {
      this.#changes = before;
      throw error;
    }
  }

  get row(): LoadTestRow {
    return this.#changes.row;
  }

  source(id: string): StoredSource | undefined {
    return this.#changes.sources.values().find((source) => source.id === id);
  }

  statements(): readonly Statement[] {
    const { row, latestRevision, sources, dirty, removed, statements } = this.#changes;
    const changed = [...dirty].flatMap((number) => sources.get(number) ?? []);
    const isChanged = row !== this.#read.row || latestRevision !== this.#read.latestRevision;
    return [
      ...changed.map(saveSource),
      ...statements,
      ...[...removed].flatMap((source) => removeSource(row.number, source)),
      ...(isChanged ? [saveLoadTest(row, latestRevision)] : []),
    ];
  }

  #open(): WriteTarget["writing"] {
    const changes = (): Changes => this.#changes;
    const current = (number: number) => changes().sources.get(number);
    const put = (source: StoredSource): StoredSource => {
      changes().sources.set(source.number, source);
      changes().dirty.add(source.number);
      return source;
    };
    const change = ({ number }: { readonly number: number }, part: Partial<StoredSource>): void => {
      const source = current(number);
      if (source !== undefined) put({ ...source, ...part });
    };
    const add = (sql: string, values: Statement["values"]): void => {
      changes().statements.push({ sql, values });
    };
    const takeNumber = (): number => {
      const number = changes().numbers.shift();
      if (number === undefined) throw new Error("BUG: no number is left");
      return number;
    };
    return {
      loadTests: {
        get: (number) => (number === changes().row.number ? changes().row : undefined),
        save: (row) => {
          changes().row = row;
        },
      },
      sources: {
        find: (_, id) => this.source(id),
        visible: () => {
          if (!this.#read.hasAll) throw new NeedsAllSources();
          return [...changes().sources.values()]
            .filter(({ visibility, published }) => visibility === "live" || published !== undefined)
            .toSorted((left, right) => left.number - right.number);
        },
        add: (loadTest, { id, visibility, format }) =>
          put({
            number: takeNumber(),
            loadTest,
            id,
            visibility,
            format,
            lastBatchAtMs: 0,
            published: undefined,
            tally: EMPTY_TALLY,
            isWithdrawn: false,
            batches: 0,
            lastSequence: undefined,
          }),
        batchDigest: ({ number }, sequence) => changes().digests.get(digestKey(number, sequence)),
        addBatch: (source, sequence, digest, counts) => {
          const { batches = 0, lastSequence = -1 } = current(source.number) ?? {};
          changes().digests.set(digestKey(source.number, sequence), digest);
          change(source, {
            batches: batches + 1,
            lastSequence: Math.max(lastSequence, sequence),
          });
          const roleCounts =
            counts === undefined || counts.size === 0 ? null : storedCounts(counts);
          add("INSERT INTO batches VALUES ($1, $2, $3, $4, $5)", [
            source.loadTest,
            source.number,
            sequence,
            digest,
            roleCounts,
          ]);
        },
        addQuality: (source, batch) => {
          if (batch.unrecorded === undefined && batch.quality === undefined) return;
          const before = current(source.number);
          change(source, {
            unrecorded: batch.unrecorded ?? before?.unrecorded,
            quality: addRowQuality([before?.quality, batch.quality]),
          });
        },
        batches: ({ number }) => {
          const { batches: count = 0, lastSequence } = current(number) ?? {};
          return { count, complete: count === 0 || lastSequence === count - 1 };
        },
        isWithdrawn: ({ number }) => current(number)?.isWithdrawn === true,
        lastSequence: ({ number }) => current(number)?.lastSequence,
        markPublished: (source, { loadTestId: _loadTestId, sourceId: _sourceId, ...published }) =>
          change(source, { published, format: published.format }),
        markWithdrawn: (source) => change(source, { isWithdrawn: true }),
        remove: ({ number }) => {
          changes().sources.delete(number);
          changes().removed.add(number);
        },
        saveTally: (source, tally, lastBatchAtMs) => change(source, { tally, lastBatchAtMs }),
        takeRoleCounts: ({ number }) =>
          addRoleCounts([this.#read.roleCounts.get(number) ?? NO_ROLE_COUNTS]),
      },
      reported: {
        add: ({ number }, sequence, reported) => {
          if (reported === undefined || reported.second.length === 0) return;
          add("INSERT INTO reported_percentiles VALUES ($1, $2, $3, $4)", [
            changes().row.number,
            number,
            sequence,
            packPercentiles(reported),
          ]);
        },
      },
      samples: {
        add: ({ number }, sequence, { samples = [], revision = 0 }) => {
          if (samples.length === 0) return;
          add("INSERT INTO samples VALUES ($1, $2, $3, $4, $5)", [
            changes().row.number,
            number,
            sequence,
            revision,
            packSamples(samples),
          ]);
        },
      },
      blocks: {
        add: (home, block) => {
          const number = takeNumber();
          changes().statements.push(addBlock({ number, home, block }));
          return number;
        },
        publish: ({ loadTest, number }, revision) =>
          add("UPDATE blocks SET shown_from = $1 WHERE load_test = $2 AND source = $3", [
            revision,
            loadTest,
            number,
          ]),
        remove: ({ loadTest, number }, revision) => {
          add(
            `UPDATE blocks SET shown_until = $1, hidden_at_ms = ${NOW_MS}, level = NULL
             WHERE load_test = $2 AND source = $3 AND shown_until IS NULL`,
            [revision, loadTest, number],
          );
          return this.#read.blocks.get(number) ?? 0;
        },
        discard: ({ loadTest, number }) =>
          add(
            "UPDATE blocks SET shown_until = 0, hidden_at_ms = 0 WHERE load_test = $1 AND source = $2",
            [loadTest, number],
          ),
      },
      files: {
        moveOriginal: (loadTest, from, to) =>
          add(
            `UPDATE files SET source = $3 WHERE load_test = $1 AND source = $2
               AND NOT EXISTS (SELECT 1 FROM files WHERE load_test = $1 AND source = $3)`,
            [loadTest, Buffer.from(from), Buffer.from(to)],
          ),
      },
      nextRevision: () => (changes().latestRevision = laterRevision(changes().latestRevision)),
    };
  }
}

function removeSource(loadTest: number, source: number): readonly Statement[] {
  const values = [loadTest, source];
  return [
    { sql: "DELETE FROM sources WHERE load_test = $1 AND number = $2", values },
    { sql: "DELETE FROM batches WHERE load_test = $1 AND source = $2", values },
    { sql: "DELETE FROM reported_percentiles WHERE load_test = $1 AND source = $2", values },
    { sql: "DELETE FROM samples WHERE load_test = $1 AND source = $2", values },
  ];
}
