import { type NodeAnswer, askEach } from "./ask-each.ts";
import { ClickHouseError, storeError } from "./clickhouse-error.ts";
import { type NativeBlock, NativeError } from "../native/native-block.ts";
import { readNativeBlocks } from "../native/native-reader.ts";
import type { Asking, Node } from "./node.ts";
import { type Replica, replicaRound } from "./replica-round.ts";
import {
  CONSISTENT_READS,
  INSERT_SETTINGS,
  NO_DEDUPLICATION,
  READ_SETTINGS,
  type RequestSettings,
} from "./request-settings.ts";
import type { ClusterSettings } from "./settings.ts";
import { type Round, type Dependencies, type Trying, untilDone } from "./until-done.ts";

export interface Interruptible {
  readonly signal?: AbortSignal | undefined;
}

export interface PreferenceOptions extends Interruptible {
  /** An integer from 0. The same one prefers the same replica, in every process. */
  readonly preference: number;
}

const READ_PATIENCE_MS = 5000;
const WRITE_PATIENCE_MS = 30_000;

/** Shorter than a write is tried for, so that other replicas get their turns. */
const WRITE_SILENCE_MS_MAX = 10_000;
const QUORUM_MS_MAX = 8000;

/** Longer than a busy server takes for a few rows, and shorter than what waits behind them can bear. */
const SMALL_SILENCE_MS_MAX = 20_000;

const READING = "read the store";
const WRITING = "write to the store";

/**
 * Servers that have the same rows: those of a shard, or all of them for what is everywhere. What
 * fails on one is tried on another, and again later, until patience is over: then
 * `store-unreachable` is thrown, or what else the failure means. What cannot succeed on any is
 * thrown at once; an abort throws its reason.
 */
export class Replicas {
  readonly #replicas: readonly Replica[];
  readonly #settings: ClusterSettings;
  readonly #dependencies: Dependencies;

  constructor(replicas: readonly Replica[], settings: ClusterSettings, dependencies: Dependencies) {
    this.#replicas = replicas;
    this.#settings = settings;
    this.#dependencies = dependencies;
  }

  get nodes(): readonly Node[] {
    return this.#replicas.map(({ node }) => node);
  }

  /** Each node by itself. */
  get alone(): readonly { readonly node: Node; readonly replicas: Replicas }[] {
    return this.#replicas.map((replica) => ({
      node: replica.node,
      replicas: new Replicas([replica], this.#settings, this.#dependencies),
    }));
  }

  /** All blocks of a replica that is not behind, or least. Throws `store-behind` where none knows. */
  read(sql: string, options: PreferenceOptions): Promise<readonly NativeBlock[]> {
    return this.#untilRead(options, (replica) => this.#blocks(replica, sql, options));
  }

  /**
   * The same in blocks as they come. Another replica is asked only as long as no block has come; a
   * later failure is thrown.
   */
  async *stream(
    sql: string,
    options: PreferenceOptions,
  ): AsyncGenerator<NativeBlock, void, undefined> {
    const { first, blocks } = await this.#untilRead(options, async (replica) => {
      const streamed = this.#streamed(replica, sql, options);
      return { first: await streamed.next(), blocks: streamed };
    });
    try {
      if (first.done !== true) yield first.value;
      yield* blocks;
    } catch (error) {
      throw storeError(error, READING);
    } finally {
      await blocks.return();
    }
  }

  /**
   * What the nodes answer that can be reached, those that are behind too: at least one, asked side by
   * side, in the order of `preference`.
   */
  readEach(
    sql: string,
    options: PreferenceOptions & {
      /** How many are asked. @default all */
      readonly most?: number;
    },
  ): Promise<readonly NodeAnswer[]> {
    const { preference, most, signal } = options;
    return untilDone(() => {
      const replicas = this.#inOrder(preference);
      const up = replicas.filter(({ health }) => !health.isDown);
      const asked = (up.length === 0 ? replicas : up).slice(0, most);
      return askEach(asked, (replica, until) => this.#blocks(replica, sql, { signal: until }), {
        doing: READING,
        signal,
      });
    }, this.#reading(options));
  }

  /** Whether the node has what the others have, but for moments, as far as it knows. */
  async isFit(node: Node): Promise<boolean> {
    const replica = this.#replicas.find((each) => each.node === node);
    if (replica === undefined) throw new Error(`BUG: ${node.url} is none of these replicas`);
    const { state } = await replica.health.fitness();
    return state === "fit";
  }

  /** All blocks of this node, whatever its health. Tried once. */
  async readOn(node: Node, sql: string, options: Asking = {}): Promise<readonly NativeBlock[]> {
    const blocks: NativeBlock[] = [];
    for await (const block of this.streamOn(node, sql, options)) blocks.push(block);
    return blocks;
  }

  /** The same of a few rows, which come at once: who is silent for long hangs, and holds up all that waits. */
  readSmall(node: Node, sql: string): Promise<readonly NativeBlock[]> {
    return this.readOn(node, sql, { silenceMsMax: SMALL_SILENCE_MS_MAX });
  }

  /** The same in blocks as they come. */
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
   * Stores a block in Native, the columns of which may be some of the table's. It is sent again
   * unchanged until a replica acknowledges it: it may arrive several times, and be stored even where
   * this throws.
   */
  insert(table: string, block: Uint8Array, options: PreferenceOptions): Promise<void> {
    const settings = { ...NO_DEDUPLICATION, ...this.#quorumSettings() };
    return this.#untilWritten(options, (node, asking) =>
      node.insert(table, block, { ...asking, settings }),
    );
  }

  /** Runs a statement on one replica, perhaps more than once. It may take its time. */
  command(
    sql: string,
    options: PreferenceOptions & {
      /** Whether the database need not be there yet. @default false */
      readonly isOutside?: boolean;
    },
  ): Promise<void> {
    const { signal, isOutside = false } = options;
    return this.#untilWritten(options, (node) => node.command(sql, { signal, isOutside }));
  }

  /** Runs INSERT ... SELECT on this node, whatever its health. Tried once, and perhaps done where this throws. */
  async copyOn(node: Node, sql: string, { settings, ...asking }: Asking): Promise<void> {
    const consistent = this.#settings.isCloud === true ? CONSISTENT_READS : {};
    const all = { ...READ_SETTINGS, ...INSERT_SETTINGS, ...NO_DEDUPLICATION, ...consistent };
    try {
      await node.command(sql, { ...asking, settings: { ...all, ...settings } });
    } catch (error) {
      throw storeError(error, WRITING);
    }
  }

  #untilRead<Result>(
    options: PreferenceOptions,
    attempt: (replica: Replica) => Promise<Result>,
  ): Promise<Result> {
    const replicas = this.#inOrder(options.preference);
    return untilDone(() => replicaRound(replicas, attempt, READING), this.#reading(options));
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
      patienceMs: this.#settings.patienceMs ?? WRITE_PATIENCE_MS,
      dependencies: this.#dependencies,
      signal,
    });
  }

  async #blocks(replica: Replica, sql: string, asking: Asking): Promise<readonly NativeBlock[]> {
    const blocks: NativeBlock[] = [];
    for await (const block of this.#streamed(replica, sql, asking)) blocks.push(block);
    return blocks;
  }

  async *#streamed(
    { node, health }: Replica,
    sql: string,
    { signal, ...asking }: Asking,
  ): AsyncGenerator<NativeBlock, void, undefined> {
    // With a quorum it would need ZooKeeper for every read; who reads a manifest asks all replicas instead.
    const settings = this.#settings.isCloud === true ? CONSISTENT_READS : {};
    try {
      yield* readBlocks(node, sql, { ...asking, signal, settings });
      health.answered();
    } catch (error) {
      health.failed(error);
      throw error;
    }
  }

  #reading({ signal }: Interruptible): Trying {
    const patienceMs = Math.min(READ_PATIENCE_MS, this.#settings.patienceMs ?? READ_PATIENCE_MS);
    return { doing: READING, patienceMs, dependencies: this.#dependencies, signal };
  }

  #inOrder(preference: number): readonly Replica[] {
    const first = preference % this.#replicas.length;
    return [...this.#replicas.slice(first), ...this.#replicas.slice(0, first)];
  }

  #quorumSettings(): RequestSettings {
    const { quorum } = this.#settings;
    if (quorum === undefined) return {};
    const most = Math.floor(this.#replicas.length / 2) + 1;
    return {
      insert_quorum: quorum === "auto" ? most : quorum,
      insert_quorum_timeout: QUORUM_MS_MAX,
    };
  }
}

/** The blocks that `node` answers, as they come; it is asked with the first. Throws `ClickHouseError`. */
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
