import { ClickHouseError, isSilence } from "./clickhouse-error.ts";
import type { Node } from "./node.ts";
import type { ClusterSettings } from "./settings.ts";
import type { Clock } from "./until-done.ts";

/**
 * Whether a replica may be read. "fit": up to date within moments. "behind": by `delaySeconds`. "lost": unknown, as it
 * has not read the replication log yet; a server that was killed serves its old state for ten seconds that way.
 */
export interface Fitness {
  readonly state: "fit" | "behind" | "lost";
  readonly delaySeconds: number;
}

const KNOWN_MS_MAX = 1000;

/** How long a failed server is left alone. */
const REST_MS = 2000;

const SILENCE_MS_MAX = 2000;

const DELAY_SECONDS_MAX = 5;

/** A server with unknown delay reports the current UNIX second. */
const DELAY_SECONDS_UNKNOWN = 365 * 24 * 3600;

const FIT: Fitness = { state: "fit", delaySeconds: 0 };

/** Health of one server: whether it responds, accepts writes and may be read. */
export class NodeHealth {
  readonly #node: Node;
  readonly #settings: ClusterSettings;
  readonly #clock: Clock;
  /** Time of the last failure without a later response. */
  #failedAtMs: number | undefined;
  #refusedWriteAtMs = -Infinity;
  /** Whether it failed and has not been fit since. */
  #isReturning = false;
  #known: { readonly fitness: Fitness; readonly atMs: number } | undefined;
  #asking: Promise<Fitness> | undefined;

  constructor(node: Node, settings: ClusterSettings, clock: Clock) {
    this.#node = node;
    this.#settings = settings;
    this.#clock = clock;
  }

  /** Whether the server failed and has not responded since. After a pause, a background query checks again. */
  get isDown(): boolean {
    if (this.#failedAtMs === undefined) return false;
    const restedMs = this.#clock.clockMs() - this.#failedAtMs;
    // The failure is recorded; no caller waits for the result.
    if (restedMs >= REST_MS) this.#ask().catch(() => undefined);
    return true;
  }

  /** Whether it recently refused a write, for example without ZooKeeper. */
  get isRefusingWrites(): boolean {
    return this.#clock.clockMs() - this.#refusedWriteAtMs < REST_MS;
  }

  /** A connection closed: another server may respond from now on. */
  suspect(): void {
    this.#known = undefined;
  }

  answered(): void {
    this.#failedAtMs = undefined;
  }

  /** Ignores errors that say nothing about the server, such as an abort. */
  failed(error: unknown): void {
    if (!(error instanceof ClickHouseError)) return;
    if (!isSilence(error)) {
      this.answered();
      return;
    }
    this.#failedAtMs = this.#clock.clockMs();
    this.#isReturning = true;
    this.#known = undefined;
    this.#node.forget();
  }

  refusedWrite(): void {
    this.#refusedWriteAtMs = this.#clock.clockMs();
  }

  /** Returns the health, querying the server if it is out of date. Throws what the query throws. */
  async fitness(): Promise<Fitness> {
    if (!this.#settings.isReplicated) return FIT;
    const { clockMs } = this.#clock;
    if (this.#known !== undefined && clockMs() - this.#known.atMs < KNOWN_MS_MAX) {
      return this.#known.fitness;
    }
    return this.#ask();
  }

  /** Concurrent callers share one query. */
  #ask(): Promise<Fitness> {
    this.#asking ??= this.#asked().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #asked(): Promise<Fitness> {
    const atMs = this.#clock.clockMs();
    try {
      const asking = { silenceMsMax: SILENCE_MS_MAX, isOutside: true };
      const line = await this.#node.readText(delaySql(this.#settings.database), asking);
      this.answered();
      const fitness = this.#fitnessOf(line);
      this.#known = { fitness, atMs };
      return fitness;
    } catch (error) {
      this.failed(error);
      throw error;
    }
  }

  #fitnessOf(line: string): Fitness {
    const [delaySeconds = NaN, toFetch = NaN] = line.split("\t").map(Number);
    if (!Number.isInteger(delaySeconds) || !Number.isInteger(toFetch)) {
      const message = `${this.#node.url}: cannot read the state of its replicas: ${line.slice(0, 100)}`;
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
 * The largest delay, and how many parts are still to be fetched. Read-only tables do not matter: without
 * ZooKeeper nothing changes anywhere, and reading continues.
 */
function delaySql(database: string): string {
  return (
    "SELECT toUInt64(max(absolute_delay)), toUInt64(sum(inserts_in_queue)) " +
    `FROM system.replicas WHERE database = '${database}' FORMAT TabSeparated`
  );
}
