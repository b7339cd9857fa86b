import { ClickHouseError, storeError } from "./clickhouse-error.ts";
import { type NativeBlock, NativeError } from "../native/native-block.ts";
import { readNativeBlocks } from "../native/native-reader.ts";
import type { Asking, Node } from "./node.ts";
import { askEach, type NodeAnswer, type Replica, replicaRound } from "./replica-round.ts";
import {
  CONSISTENT_READS,
  INSERT_SETTINGS,
  NO_DEDUPLICATION,
  READ_SETTINGS,
  type RequestSettings,
} from "./request-settings.ts";
import type { ClusterSettings } from "./settings.ts";
import { type Round, type Clock, type Trying, untilDone } from "./until-done.ts";

export interface Interruptible {
  readonly signal?: AbortSignal | undefined;
}

export interface PreferenceOptions extends Interruptible {
  /** Integer from 0. Equal ones prefer the same replica, in every process. */
  readonly preference: number;
}

const READ_PATIENCE_MS = 5000;
const WRITE_PATIENCE_MS = 30_000;

/** Shorter than the patience of a write, so that other replicas get a turn. */
const WRITE_SILENCE_MS_MAX = 10_000;
const QUORUM_MS_MAX = 8000;

/** Longer than a busy server takes for a few rows, and shorter than waiting requests can bear. */
const SMALL_SILENCE_MS_MAX = 20_000;

const READING = "read the store";
const WRITING = "write to the store";

/**
 * Servers with the same rows: those of a shard, or all of them for global tables. Failures are retried on
 * other replicas until the patience ends; then it throws `store-unreachable`, or what the failure means.
 * Errors that no replica can avoid are thrown immediately; an abort throws its reason.
 */
export class Replicas {
  readonly #replicas: readonly Replica[];
  readonly settings: ClusterSettings;
  readonly clock: Clock;

  constructor(replicas: readonly Replica[], settings: ClusterSettings, clock: Clock) {
    this.#replicas = replicas;
    this.settings = settings;
    this.clock = clock;
  }

  get nodes(): readonly Node[] {
    return this.#replicas.map(({ node }) => node);
  }

  get alone(): readonly { readonly node: Node; readonly replicas: Replicas }[] {
    return this.#replicas.map((replica) => ({
      node: replica.node,
      replicas: new Replicas([replica], this.settings, this.clock),
    }));
  }

  /** Returns all blocks from the most current replica. Throws `store-behind` if no delay is known. */
  read(sql: string, options: PreferenceOptions): Promise<readonly NativeBlock[]> {
    const replicas = this.#inOrder(options.preference);
    const attempt = (replica: Replica) => Array.fromAsync(this.#streamed(replica, sql, options));
    return untilDone(() => replicaRound(replicas, attempt, READING), this.#reading(options));
  }

  /** Queries all reachable nodes in parallel, late ones too: at least one result, ordered by `preference`. */
  readEach(
    sql: string,
    options: PreferenceOptions & {
      /** Number of nodes to query. @default all */
      readonly most?: number;
    },
  ): Promise<readonly NodeAnswer[]> {
    const { preference, most, signal } = options;
    return untilDone(() => {
      const replicas = this.#inOrder(preference);
      const up = replicas.filter(({ health }) => !health.isDown);
      const asked = (up.length === 0 ? replicas : up).slice(0, most);
      const ask = (replica: Replica, until: AbortSignal) =>
        Array.fromAsync(this.#streamed(replica, sql, { signal: until }));
      return askEach(asked, ask, { doing: READING, signal });
    }, this.#reading(options));
  }

  /** Whether the node is up to date within moments, as far as it knows. */
  async isFit(node: Node): Promise<boolean> {
    const replica = this.#replicas.find((each) => each.node === node);
    if (replica === undefined) throw new Error(`BUG: ${node.url} is none of these replicas`);
    const { state } = await replica.health.fitness();
    return state === "fit";
  }

  /** Returns all blocks of this node, whatever its health. One attempt. */
  readOn(node: Node, sql: string, options: Asking = {}): Promise<readonly NativeBlock[]> {
    return Array.fromAsync(this.streamOn(node, sql, options));
  }

  /** For a few rows, with a short time-out: a silent node hangs and delays everything that waits. */
  readSmall(node: Node, sql: string): Promise<readonly NativeBlock[]> {
    return this.readOn(node, sql, { silenceMsMax: SMALL_SILENCE_MS_MAX });
  }

  /** As `readOn`, block by block as they arrive. */
  async *streamOn(
    node: Node,
    sql: string,
    options: Asking = {},
  ): AsyncGenerator<NativeBlock, void, undefined> {
    const replica = this.#replicas.find((each) => each.node === node);
    if (replica === undefined) throw new Error(`BUG: ${node.url} is none of these replicas`);
    try {
      yield* this.#streamed(replica, sql, options);
    } catch (error) {
      throw storeError(error, READING);
    }
  }

  /**
   * Inserts a block in Native format, with some or all columns. Repeats it unchanged until a replica acknowledges it: it may
   * arrive several times, and be stored even if this throws.
   */
  insert(table: string, block: readonly Uint8Array[], options: PreferenceOptions): Promise<void> {
    const settings = { ...NO_DEDUPLICATION, ...this.#quorumSettings() };
    return this.#untilWritten(options, (node, asking) =>
      node.insert(table, block, { ...asking, settings }),
    );
  }

  /** Runs a statement on one replica, possibly more than once, with a long time-out. */
  command(
    sql: string,
    options: PreferenceOptions & {
      /** Whether the database may be missing. @default false */
      readonly isOutside?: boolean;
    },
  ): Promise<void> {
    const { signal, isOutside = false } = options;
    return this.#untilWritten(options, (node) => node.command(sql, { signal, isOutside }));
  }

  /** Runs INSERT ... SELECT on this node, whatever its health, once; it may be executed even if this throws. */
  async copyOn(node: Node, sql: string, { settings, ...asking }: Asking): Promise<void> {
    const consistent = this.settings.isCloud === true ? CONSISTENT_READS : {};
    const all = { ...READ_SETTINGS, ...INSERT_SETTINGS, ...NO_DEDUPLICATION, ...consistent };
    try {
      await node.command(sql, { ...asking, settings: { ...all, ...settings } });
    } catch (error) {
      throw storeError(error, WRITING);
    }
  }

  #untilWritten(
    options: PreferenceOptions,
    attempt: (node: Node, asking: Asking) => Promise<void>,
  ): Promise<void> {
    const { signal } = options;
    const asking =
      this.#replicas.length > 1 ? { signal, silenceMsMax: WRITE_SILENCE_MS_MAX } : { signal };
    const noting = async ({ node, health }: Replica): Promise<void> => {
      try {
        await attempt(node, asking);
        health.answered();
      } catch (error) {
        health.failed(error);
        health.refusedWrite();
        throw error;
      }
    };
    const round = (): Promise<Round<void>> => {
      const inOrder = this.#inOrder(options.preference);
      const { willing = [], refusing = [] } = Object.groupBy(inOrder, ({ health }) =>
        health.isRefusingWrites ? "refusing" : "willing",
      );
      return replicaRound([...willing, ...refusing], noting, WRITING);
    };
    return untilDone(round, {
      doing: WRITING,
      patienceMs: this.settings.patienceMs ?? WRITE_PATIENCE_MS,
      clock: this.clock,
      signal,
    });
  }

  async *#streamed(
    { node, health }: Replica,
    sql: string,
    { signal, ...asking }: Asking,
  ): AsyncGenerator<NativeBlock, void, undefined> {
    // A quorum would need ZooKeeper for every read; manifests are read from all replicas instead.
    const settings = this.settings.isCloud === true ? CONSISTENT_READS : {};
    try {
      yield* readBlocks(node, sql, { ...asking, signal, settings });
      health.answered();
    } catch (error) {
      health.failed(error);
      throw error;
    }
  }

  #reading({ signal }: Interruptible): Trying {
    const patienceMs = Math.min(READ_PATIENCE_MS, this.settings.patienceMs ?? READ_PATIENCE_MS);
    return { doing: READING, patienceMs, clock: this.clock, signal };
  }

  #inOrder(preference: number): readonly Replica[] {
    const first = preference % this.#replicas.length;
    return [...this.#replicas.slice(first), ...this.#replicas.slice(0, first)];
  }

  #quorumSettings(): RequestSettings {
    const { quorum } = this.settings;
    if (quorum === undefined) return {};
    const most = Math.floor(this.#replicas.length / 2) + 1;
    return {
      insert_quorum: quorum === "auto" ? most : quorum,
      insert_quorum_timeout: QUORUM_MS_MAX,
    };
  }
}

/** Yields the blocks of `node` as they arrive; the first one triggers the request. Throws `ClickHouseError`. */
async function* readBlocks(
  node: Node,
  sql: string,
  asking: Asking,
): AsyncGenerator<NativeBlock, void, undefined> {
  try {
    yield* readNativeBlocks(await node.read(sql, asking));
  } catch (error) {
    if (!(error instanceof NativeError)) throw error;
    const message = `${node.url}: ${error.message}`;
    throw new ClickHouseError(message, error.serverCode, { cause: error });
  }
}
