import { ClickHouseError, isSilence } from "./clickhouse-error.ts";
import type { Node } from "./node.ts";
import type { ClusterSettings } from "./settings.ts";
import type { Dependencies } from "./until-done.ts";

/**
 * Whether a replica may be read. "fit": it has what the others have, but for moments. "behind": it
 * copies, `delaySeconds` late. "lost": it has not looked yet at what there is to copy, so that nobody
 * knows how far it is behind; one that was killed answers from its old state for ten seconds so.
 */
export interface Fitness {
  readonly state: "fit" | "behind" | "lost";
  readonly delaySeconds: number;
}

/** How old what is known of a replica may be. */
const KNOWN_MS_MAX = 1000;

/** How long a server that failed is left alone. */
const REST_MS = 2000;

/** How long it may think about its health. */
const SILENCE_MS_MAX = 2000;

const DELAY_SECONDS_MAX = 5;

/** What a server says that does not know its delay is the present as a UNIX second. */
const DELAY_SECONDS_UNKNOWN = 365 * 24 * 3600;

const FIT: Fitness = { state: "fit", delaySeconds: 0 };

/** What is known of one server: whether it answers, takes writes and may be read. */
export class NodeHealth {
  readonly #node: Node;
  readonly #settings: ClusterSettings;
  readonly #dependencies: Dependencies;
  /** When it failed last without having answered since. */
  #failedAtMs: number | undefined;
  #refusedWriteAtMs = -Infinity;
  /** Whether it failed and was not fit since. */
  #isReturning = false;
  #known: { readonly fitness: Fitness; readonly atMs: number } | undefined;
  #asking: Promise<Fitness> | undefined;

  constructor(node: Node, settings: ClusterSettings, dependencies: Dependencies) {
    this.#node = node;
    this.#settings = settings;
    this.#dependencies = dependencies;
  }

  /**
   * Whether the server failed and has not answered since. When it has rested, it is asked whether it is back, beside
   * whatever else goes on.
   */
  get isDown(): boolean {
    if (this.#failedAtMs === undefined) return false;
    const restedMs = this.#dependencies.clockMs() - this.#failedAtMs;
    // Its failure was noted; nobody waits for the answer.
    if (restedMs >= REST_MS) this.#ask().catch(() => undefined);
    return true;
  }

  /** Whether it refused a write a moment ago, as without ZooKeeper. */
  get isRefusingWrites(): boolean {
    return this.#dependencies.clockMs() - this.#refusedWriteAtMs < REST_MS;
  }

  /** A connection closed: the server may not be the one that was asked before. */
  suspect(): void {
    this.#known = undefined;
  }

  answered(): void {
    this.#failedAtMs = undefined;
  }

  /** An error that says nothing of the server, such as an abort, is let pass. */
  failed(error: unknown): void {
    if (!(error instanceof ClickHouseError)) return;
    if (!isSilence(error)) {
      this.answered();
      return;
    }
    this.#failedAtMs = this.#dependencies.clockMs();
    this.#isReturning = true;
    this.#known = undefined;
    this.#node.forget();
  }

  refusedWrite(): void {
    this.#refusedWriteAtMs = this.#dependencies.clockMs();
  }

  /** Asks the server, where nothing is known that is new enough. Throws what asking throws. */
  async fitness(): Promise<Fitness> {
    if (!this.#settings.isReplicated) return FIT;
    const { clockMs } = this.#dependencies;
    if (this.#known !== undefined && clockMs() - this.#known.atMs < KNOWN_MS_MAX) {
      return this.#known.fitness;
    }
    return this.#ask();
  }

  /** One question at a time, whoever waits for the answer. */
  #ask(): Promise<Fitness> {
    this.#asking ??= this.#asked().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #asked(): Promise<Fitness> {
    const atMs = this.#dependencies.clockMs();
    try {
      const asking = { silenceMsMax: SILENCE_MS_MAX, isOutside: true };
      const line = await this.#node.readText(delaySql(this.#settings.database), asking);
      this.answered();
      const fitness = this.#judged(line);
      this.#known = { fitness, atMs };
      return fitness;
    } catch (error) {
      this.failed(error);
      throw error;
    }
  }

  #judged(line: string): Fitness {
    const [delaySeconds = NaN, toFetch = NaN] = line.split("\t").map(Number);
    if (!Number.isInteger(delaySeconds) || !Number.isInteger(toFetch)) {
      const message = `${this.#node.url}: its replicas are not understood: ${line.slice(0, 100)}`;
      throw new ClickHouseError(message, undefined, { remedy: "elsewhere" });
    }
    if (delaySeconds > DELAY_SECONDS_UNKNOWN) return { state: "lost", delaySeconds };
    const isLate = delaySeconds > DELAY_SECONDS_MAX || (this.#isReturning && toFetch > 0);
    if (isLate) return { state: "behind", delaySeconds };
    this.#isReturning = false;
    return { state: "fit", delaySeconds };
  }
}

/**
 * The largest delay, and how many parts are still to be fetched. Whether a table is read-only does
 * not matter: without ZooKeeper nothing changes anywhere, and reading goes on.
 */
function delaySql(database: string): string {
  return (
    "SELECT toUInt64(max(absolute_delay)), toUInt64(sum(inserts_in_queue)) " +
    `FROM system.replicas WHERE database = '${database}' FORMAT TabSeparated`
  );
}
