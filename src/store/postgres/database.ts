/** Connections to one database, and transactions that survive the loss of a server where nothing can be done twice. */

import { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { Client, type ClientConfig, type CustomTypesConfig, type QueryResult, types } from "pg";
import { Semaphore } from "../../concurrency/semaphore.ts";
import { UserError } from "../../model/errors.ts";
import {
  connectError,
  isAfterFailure,
  isConflict,
  isLost,
  isSilence,
  isStandby,
  STANDBY,
  storeError,
  unreachable,
} from "./database-errors.ts";

/** Of one process. */
const CONNECTIONS_MAX = 12;
/** How long a failover may take. */
const PATIENCE_MS = 30_000;
const CONNECT_TIMEOUT_MS = 5000;
/** How long a database may take that has not answered yet. */
const OPENING_PATIENCE_MS = 5000;
/** A server that does not answer a statement this long is given up. */
const ANSWER_TIMEOUT_MS = 20_000;
/** After this long it is asked for another connection, which one that is cut off or stands still does not give. */
const DOUBT_MS = 5000;
/** How long others are tried before a server that did not answer. */
const SILENCE_MS = 10_000;
const [PAUSE_MIN_MS, PAUSE_MAX_MS] = [20, 1000];
/**
 * What lets a server notice soon that a process is gone: in a session that waits for a lock, in one that holds locks between
 * two statements, and in one whose machine is cut off.
 */
const SESSION_SETTINGS = {
  client_connection_check_interval: "2s",
  idle_in_transaction_session_timeout: "10s",
  tcp_keepalives_idle: "10",
  tcp_keepalives_interval: "5",
  tcp_keepalives_count: "3",
};
/** PostgreSQL 14. */
const VERSION_MIN = 140_000;

/** In statements: the clock of the database, which all processes share. */
export const NOW_MS = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

export type Value = string | number | bigint | boolean | null | Uint8Array | readonly Value[];
export type Row = Readonly<Record<string, unknown>>;

export interface Statement {
  readonly sql: string;
  readonly values: readonly Value[];
}

/** Runs a statement and returns its rows. */
export type Run = (sql: string, values?: readonly Value[]) => Promise<readonly Row[]>;

export interface Outcome<Result> {
  readonly result: Result;
  /** Sent together with COMMIT, in order. */
  readonly statements: readonly Statement[];
}

/** Bigints are counts and times below 2^53; bytes arrive as text. */
const INT8: number = types.builtins.INT8;
const TYPES: CustomTypesConfig = {
  getTypeParser: ((type: number, format: "text" | "binary") =>
    type === INT8
      ? Number
      : types.getTypeParser(type, format)) as CustomTypesConfig["getTypeParser"],
};

export class Database {
  readonly place: string;
  readonly #settings: PostgresSettings;
  readonly #idle: Client[] = [];
  readonly #room = new Semaphore({ max: CONNECTIONS_MAX });
  readonly #running = new Set<Promise<unknown>>();
  readonly #names = new Map<string, string>();
  /** In use and idle. `at` is the index of the server. */
  readonly #open = new Map<Client, { readonly at: number; readonly socket: Socket }>();
  #doubting: Promise<void> | undefined;
  /** By index of the server. */
  readonly #silentUntilMs: number[] = [];
  /** Index of the server that answered last. */
  #server = 0;
  #isClosed = false;
  #hasAnswered = false;
  #losses = 0;
  /** When the server of the last connection was started: differs between servers. */
  #started: string | undefined;
  #version: Promise<string> | undefined;

  constructor(settings: PostgresSettings) {
    this.#settings = settings;
    this.place = `the database ${settings.description}`;
  }

  /** Number of times that a connection was lost or reached another server, which may lack what was read before. */
  get losses(): number {
    return this.#losses;
  }

  /** Runs one statement that only reads, again if the connection is lost. */
  readonly read: Run = async (sql, values = []) => {
    const [rows = []] = await this.readAll([{ sql, values }]);
    return rows;
  };

  /** Runs statements that only read, in one round trip; they may see different states. */
  readAll(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]> {
    return this.#attempt(async (client) => {
      const { rows } = await this.#sendAll(client, statements);
      return rows;
    });
  }

  /**
   * Returns what another value replaces as soon as any transaction of the server commits, read once for all callers of a turn.
   * Servers count transactions each for itself, so it names the server, too.
   */
  version(): Promise<string> {
    this.#version ??= new Promise<void>((resolve) => setImmediate(resolve)).then(async () => {
      this.#version = undefined;
      const [row] = await this.read(
        "SELECT pg_current_snapshot()::text || ' ' || pg_postmaster_start_time()::text AS version",
      );
      return `${this.#losses} ${String(row?.["version"])}`;
    });
    return this.#version;
  }

  /** Runs one writing statement, which is its own transaction. `isRepeatable`: doing it twice is as doing it once. */
  async write(statement: Statement, isRepeatable = true): Promise<readonly Row[]> {
    let isSent = false;
    const [rows = []] = await this.#attempt(
      async (client) => {
        isSent = true;
        return (await this.#sendAll(client, [statement])).rows;
      },
      () => isRepeatable || !isSent,
    );
    return rows;
  }

  /**
   * Runs `work`, whose statements are sent with COMMIT, in a transaction; again if it was rolled back. If the connection is
   * lost while it commits, it is repeated only if it `isRepeatable`: the second time, it sees what the first one has done.
   */
  transaction<Result>(
    work: (run: Run) => Promise<Outcome<Result>>,
    isRepeatable: boolean,
  ): Promise<Result> {
    let isCommitting = false;
    return this.#attempt(
      async (client) => {
        isCommitting = false;
        const began = this.#send(client, { sql: "BEGIN", values: [] });
        try {
          const run: Run = async (sql, values = []) =>
            (await this.#send(client, { sql, values })).rows as Row[];
          const working = work(run);
          // Both are sent at once; the second one reports the loss of the connection, too.
          const [{ result, statements }] = await Promise.all([working, began]);
          isCommitting = true;
          const { command } = await this.#sendAll(client, [
            ...statements,
            { sql: "COMMIT", values: [] },
          ]);
          if (command !== "COMMIT") throw new Error("BUG: a transaction was rolled back silently");
          return result;
        } catch (error) {
          if (!isLost(error)) await this.#send(client, { sql: "ROLLBACK", values: [] });
          throw error;
        }
      },
      () => isRepeatable || !isCommitting,
    );
  }

  /** Waits for running statements and closes all connections. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#running);
    await Promise.all(this.#idle.splice(0).map((client) => client.end().catch(() => undefined)));
  }

  async #attempt<Result>(
    work: (client: Client) => Promise<Result>,
    mayRepeat: () => boolean = () => true,
  ): Promise<Result> {
    const running = this.#room.run("", () => this.#attemptOften(work, mayRepeat));
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  async #attemptOften<Result>(
    work: (client: Client) => Promise<Result>,
    mayRepeat: () => boolean,
  ): Promise<Result> {
    const beganAtMs = performance.now();
    for (let pauseMs = PAUSE_MIN_MS; ; pauseMs = Math.min(2 * pauseMs, PAUSE_MAX_MS)) {
      try {
        return await this.#withClient(work);
      } catch (error) {
        const patienceMs = this.#hasAnswered ? PATIENCE_MS : OPENING_PATIENCE_MS;
        const isOver = performance.now() - beganAtMs > patienceMs || this.#isClosed;
        const isPassing = isConflict(error) || (isLost(error) && mayRepeat());
        if (isOver || !isPassing) {
          // Where a primary was, standbys alone are a failover: senders keep their data and try again.
          const isFailover = this.#hasAnswered && this.#settings.isWriting && isStandby(error);
          throw isFailover ? unreachable(error, this.place) : storeError(error, this.place);
        }
        // Fails over at random times, so that processes do not do so in step.
        await delay(pauseMs * (0.5 + Math.random()));
      }
    }
  }

  async #withClient<Result>(work: (client: Client) => Promise<Result>): Promise<Result> {
    const client = this.#idle.pop() ?? (await this.#connect());
    const { at = 0 } = this.#open.get(client) ?? {};
    const losses = this.#losses;
    const doubt = setTimeout(() => (this.#doubting ??= this.#doubt(at)), DOUBT_MS);
    try {
      return await work(client);
    } catch (error) {
      if (isLost(error)) this.#giveUp();
      throw error;
    } finally {
      clearTimeout(doubt);
      if (losses === this.#losses) this.#idle.push(client);
      else client.end().catch(() => undefined);
    }
  }

  /** Ends all connections to a server that gives no further one, so that what waits for it goes on elsewhere. */
  async #doubt(at: number): Promise<void> {
    try {
      const another = await this.#connectTo(at);
      another.end().catch(() => undefined);
    } catch (error) {
      if (!isSilence(error)) return;
      for (const each of this.#open.values()) if (each.at === at) each.socket.destroy();
    } finally {
      this.#doubting = undefined;
    }
  }

  /** Other connections probably go to the same server: those in use are closed after use. */
  #giveUp(): void {
    this.#losses += 1;
    for (const client of this.#idle.splice(0)) client.end().catch(() => undefined);
  }

  /** Connects to the first server that will do, from the one that answered last. */
  async #connect(): Promise<Client> {
    const { servers } = this.#settings;
    let failure: unknown;
    for (let tried = 0; tried < servers.length; tried++) {
      const at = (this.#server + tried) % servers.length;
      const isSilent = performance.now() < (this.#silentUntilMs[at] ?? 0);
      if (isSilent && failure !== undefined) continue;
      try {
        const client = await this.#connectTo(at);
        this.#server = at;
        return client;
      } catch (error) {
        // A refusal says more than a server that is gone.
        if (failure === undefined || isLost(failure)) failure = error;
      }
    }
    throw failure;
  }

  async #connectTo(at: number): Promise<Client> {
    const socket = new Socket();
    const client = new Client({
      ...this.#settings.servers[at],
      stream: () => socket,
      types: TYPES,
      pipeline: true,
      keepAlive: true,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: ANSWER_TIMEOUT_MS,
      application_name: "tachograph",
    });
    this.#open.set(client, { at, socket });
    socket.once("close", () => this.#open.delete(client));
    client.on("error", () => {
      const index = this.#idle.indexOf(client);
      if (index < 0) return;
      this.#idle.splice(index, 1);
      this.#losses += 1;
    });
    try {
      await client.connect().catch((error: unknown) => {
        throw connectError(error, this.place);
      });
      const { rows } = await client.query<{ version: number; standby: boolean; started: string }>(
        `SELECT current_setting('server_version_num')::int AS version,
           pg_postmaster_start_time()::text AS started,
           current_setting('transaction_read_only') = 'on' AS standby,
           set_config('synchronous_commit', CASE current_setting('synchronous_commit')
             WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END, false),
           (SELECT count(set_config(name, value, false)) FROM json_each_text($1) AS wanted(name, value)
            WHERE version() LIKE '%linux%')`,
        [JSON.stringify(SESSION_SETTINGS)],
      );
      const { version = 0, standby = false, started } = rows[0] ?? {};
      if (version < VERSION_MIN) {
        throw new UserError(
          "store-unusable",
          `cannot use ${this.place}: it has version ${Math.floor(version / 10_000)} of PostgreSQL; ` +
            "14 or later is required",
        );
      }
      if (standby && this.#settings.isWriting) {
        throw Object.assign(new Error("the server is read-only"), { code: STANDBY });
      }
      // Another server may have taken over the address, while connections to the earlier one are open.
      if (this.#settings.isWriting && this.#started !== undefined && this.#started !== started) {
        this.#giveUp();
      }
      this.#started = started;
      this.#hasAnswered = true;
      return client;
    } catch (error) {
      if (isSilence(error)) {
        this.#silentUntilMs[at] = performance.now() + SILENCE_MS;
        this.#server = (at + 1) % this.#settings.servers.length;
      }
      client.end().catch(() => undefined);
      throw error;
    }
  }

  /** Sends all at once. Throws the first error, not those that follow from it. */
  async #sendAll(
    client: Client,
    statements: readonly Statement[],
  ): Promise<{ readonly rows: readonly (readonly Row[])[]; readonly command: string | undefined }> {
    const settled = await Promise.allSettled(
      statements.map((statement) => this.#send(client, statement)),
    );
    const failed = settled.filter((each) => each.status === "rejected");
    const first = failed.find(({ reason }) => !isAfterFailure(reason)) ?? failed[0];
    if (first !== undefined) throw first.reason;
    const results = settled.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    return {
      rows: results.map(({ rows }) => rows as Row[]),
      command: results.at(-1)?.command,
    };
  }

  #send(client: Client, { sql, values }: Statement): Promise<QueryResult> {
    const sent = client.query({ text: sql, values: values.map(sendable), name: this.#nameOf(sql) });
    // Reported where it is awaited.
    sent.catch(() => undefined);
    return sent;
  }

  /** Each text is parsed once per connection. */
  #nameOf(sql: string): string {
    const name = this.#names.get(sql) ?? `t${this.#names.size}`;
    this.#names.set(sql, name);
    return name;
  }
}

interface PostgresSettings {
  /** One for each host, in the order of the URL. */
  readonly servers: readonly ClientConfig[];
  /** Whether standbys will not do. */
  readonly isWriting: boolean;
  /** Without a password, for messages. */
  readonly description: string;
}

const PARTS = /^postgres(?:ql)?:\/\/(?:(?<user>[^/?#]*)@)?(?<hosts>[^/?#]*)(?<rest>[/?].*)?$/;
const SESSION_ATTRIBUTES = ["any", "read-write", "primary"];

/**
 * Parses a URL as libpq does: several hosts, `target_session_attrs` (any, read-write or primary), `sslmode`, `sslrootcert`.
 * Throws `bad-setting`.
 */
export function parsePostgresUrl(text: string): PostgresSettings {
  const { user, hosts = "", rest = "" } = PARTS.exec(text.trim())?.groups ?? {};
  const description = `postgres://${hosts}${rest.split("?")[0] ?? ""}`;
  const wrong = (why: string): UserError =>
    new UserError(
      "bad-setting",
      `not the address of a PostgreSQL database: ${why}; expected ` +
        `postgres://USER:PASSWORD@HOST:5432/DATABASE, got ${JSON.stringify(description)}`,
    );
  if (!PARTS.test(text.trim())) throw wrong("it does not begin with postgres://");
  const query = new URLSearchParams(rest.includes("?") ? rest.slice(rest.indexOf("?") + 1) : "");
  const attributes = query.get("target_session_attrs") ?? "read-write";
  if (!SESSION_ATTRIBUTES.includes(attributes)) {
    throw wrong(`target_session_attrs is one of ${SESSION_ATTRIBUTES.join(", ")}`);
  }
  query.delete("target_session_attrs");
  // As libpq: "require" encrypts, "verify-full" checks the certificate, too.
  if (query.has("sslmode")) query.set("uselibpqcompat", "true");
  const path = rest.split("?")[0] ?? "";
  const servers = hosts.split(",").map((host) => {
    const connectionString = `postgres://${user === undefined ? "" : `${user}@`}${host}${path}?${query}`;
    if (host !== "" && !URL.canParse(connectionString)) throw wrong(`${host} is not a host`);
    return { connectionString } satisfies ClientConfig;
  });
  return { servers, isWriting: attributes !== "any", description };
}

/** PostgreSQL refuses text with NUL. No id contains NUL, but a request may ask for one that does. */
function sendable(value: Value): Value {
  if (Array.isArray(value)) return value.map(sendable);
  return typeof value === "string" ? value.replaceAll("\0", "\u{fffd}") : value;
}
