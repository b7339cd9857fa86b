import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { ClickHouseError } from "./clickhouse-error.ts";
import { type Connections, openConnections } from "./http-connections.ts";
import {
  INSERT_SETTINGS,
  READ_SETTINGS,
  type RequestSettings,
  knownOf,
} from "./request-settings.ts";
import type { ClusterSettings } from "./settings.ts";

export interface Asking {
  /** In addition to the settings of every request of its kind; unknown settings are dropped. */
  readonly settings?: RequestSettings;
  readonly signal?: AbortSignal | undefined;
  /** Maximum silence of the server. @default that of the cluster's settings */
  readonly silenceMsMax?: number;
  /** Whether the database may be missing. @default false */
  readonly isOutside?: boolean;
}

const SILENCE_MS_MAX = 60_000;

/** A server's default is 262,144 bytes. */
const QUERY_BYTES = 200_000;

/** Its features are known without a query. */
const FACTS_SILENCE_MS_MAX = 5000;

const MESSAGE_LENGTH_MAX = 600;

/** Proxies included; ClickHouse's own errors have a number. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);

/** One server. Never retries: methods succeed or throw `ClickHouseError`, or the reason of an abort. */
export class Node {
  readonly url: string;
  /** Host, port and path, in a form that fits a ZooKeeper path. */
  readonly replica: string;
  readonly #connections: Connections;
  readonly #settings: ClusterSettings;
  #features: Promise<ServerFeatures> | undefined;

  /** `lost` is called whenever a connection closes. */
  constructor(url: string, settings: ClusterSettings, lost: () => void = () => undefined) {
    this.url = url;
    this.replica = url.replace(/^https?:\/\//, "").replaceAll(/[^A-Za-z0-9.-]/g, "_");
    this.#settings = settings;
    this.#connections = openConnections(url, settings.certificateAuthority, lost);
  }

  /** Returns the features of the server. Cached until `forget`. */
  features(): Promise<ServerFeatures> {
    this.#features ??= this.#askFeatures().catch((error: unknown) => {
      this.#features = undefined;
      throw error;
    });
    return this.#features;
  }

  /** Call after a failure: the server may come back with another version. */
  forget(): void {
    this.#features = undefined;
  }

  /** Returns the result of a SELECT in Native format, in chunks; ending the iteration aborts the request. */
  async read(sql: string, asking: Asking = {}): Promise<AsyncIterable<Uint8Array>> {
    const settings = await this.#known({ ...READ_SETTINGS, ...asking.settings });
    return this.#ask(`${sql} FORMAT Native`, { ...asking, settings });
  }

  /** Returns the result of a SELECT that names its own format. */
  async readText(sql: string, asking: Asking = {}): Promise<string> {
    return textOf(await this.#ask(sql, asking));
  }

  /** Inserts `body`, a block in Native format; `table` may include a column list in brackets. */
  async insert(table: string, body: readonly Uint8Array[], asking: Asking = {}): Promise<void> {
    const settings = await this.#known({ ...INSERT_SETTINGS, ...asking.settings });
    const query = { query: `INSERT INTO ${table} FORMAT Native`, ...settings };
    await this.#finish(await this.#post(query, body, asking), asking);
  }

  /** Runs a statement without a result. */
  async command(sql: string, asking: Asking = {}): Promise<void> {
    const settings = await this.#known({ ...asking.settings });
    const body = Buffer.from(sql);
    await this.#finish(await this.#post({ ...settings, ...longOf(body) }, [body], asking), asking);
  }

  /** Aborts running requests. */
  close(): void {
    this.#connections.close();
  }

  async #askFeatures(): Promise<ServerFeatures> {
    const asking = { isOutside: true, silenceMsMax: FACTS_SILENCE_MS_MAX };
    const features = serverFeaturesIn(await this.readText(SERVER_FEATURES_SQL, asking));
    if (features.version !== "") return features;
    const message = `${this.url}: the answer is none of a ClickHouse server`;
    throw new ClickHouseError(message, undefined, { remedy: "elsewhere" });
  }

  async #known(settings: RequestSettings): Promise<RequestSettings> {
    const { knownSettings } = await this.features();
    return knownOf(settings, knownSettings);
  }

  async #ask(sql: string, asking: Asking): Promise<AsyncIterable<Uint8Array>> {
    const body = Buffer.from(sql);
    const answer = await this.#post({ ...asking.settings, ...longOf(body) }, [body], asking);
    return this.#chunksOf(answer, asking);
  }

  /** Returns the response to a request that was not refused. */
  async #post(
    query: RequestSettings,
    body: readonly Uint8Array[],
    asking: Asking,
  ): Promise<IncomingMessage> {
    const { database, user, password } = this.#settings;
    const parameters = asking.isOutside === true ? query : { database, ...query };
    const answer = await this.#telling(asking, () =>
      this.#connections.post({
        query: queryOf(parameters),
        headers: {
          ...(user === undefined ? {} : { "X-ClickHouse-User": user }),
          ...(password === undefined ? {} : { "X-ClickHouse-Key": password }),
        },
        body,
        signal: asking.signal,
        silenceMsMax: this.#silenceMsMax(asking),
      }),
    );
    if (answer.statusCode === 200) return answer;
    throw this.#refusal(answer, await textOf(this.#chunksOf(answer, asking)));
  }

  async #finish(answer: IncomingMessage, asking: Asking): Promise<void> {
    const text = await textOf(this.#chunksOf(answer, asking));
    // After the head was sent, the status is 200 even if the query fails.
    if (exceptionCode(answer.headers, text) !== undefined) throw this.#refusal(answer, text);
  }

  async *#chunksOf(answer: IncomingMessage, asking: Asking): AsyncGenerator<Uint8Array> {
    const silenceMsMax = this.#silenceMsMax(asking);
    // Runs only while waiting for a chunk, however long processing the last one takes.
    const limit = (): NodeJS.Timeout =>
      setTimeout(() => answer.destroy(new Error(`silent for ${silenceMsMax} ms`)), silenceMsMax);
    const chunks = answer[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
    try {
      for (;;) {
        const timer = limit();
        const next = await this.#telling(asking, () => chunks.next()).finally(() =>
          clearTimeout(timer),
        );
        if (next.done === true) return;
        yield next.value;
      }
    } finally {
      answer.destroy();
    }
  }

  async #telling<Answer>(asking: Asking, attempt: () => Promise<Answer>): Promise<Answer> {
    asking.signal?.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      asking.signal?.throwIfAborted();
      throw new ClickHouseError(`${this.url}: ${reasonOf(error)}`, undefined, { cause: error });
    }
  }

  #refusal({ statusCode = 0, headers }: IncomingMessage, text: string): ClickHouseError {
    const code = exceptionCode(headers, text);
    const said = text.replaceAll(/\s+/g, " ").trim().slice(0, MESSAGE_LENGTH_MAX);
    if (code !== undefined) return new ClickHouseError(`${this.url}: ${said}`, code);
    const remedy = PASSING_STATUSES.has(statusCode) ? "passing" : "elsewhere";
    const reason = `status ${statusCode}${said === "" ? "" : `: ${said}`}`;
    return new ClickHouseError(`${this.url}: ${reason}`, undefined, { remedy });
  }

  #silenceMsMax({ silenceMsMax }: Asking): number {
    return silenceMsMax ?? this.#settings.requestTimeoutMs ?? SILENCE_MS_MAX;
  }
}

function longOf({ byteLength }: Uint8Array): RequestSettings {
  return byteLength > QUERY_BYTES ? { max_query_size: byteLength + 1 } : {};
}

function queryOf(parameters: RequestSettings): string {
  const texts = Object.entries(parameters).map(([name, value]) => [name, String(value)]);
  return `?${new URLSearchParams(texts).toString()}`;
}

export async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  return Buffer.concat(await Array.fromAsync(chunks)).toString("utf8");
}

/**
 * Returns the exception number of a response. New servers also send it in a header; the text is "Code: 60.
 * DB::Exception: …", or "Code: 60, e.displayText() = DB::Exception: …" from old ones.
 */
function exceptionCode(headers: IncomingHttpHeaders, text: string): number | undefined {
  const header = headers["x-clickhouse-exception-code"];
  const found =
    typeof header === "string" && /^\d+$/.test(header)
      ? header
      : /\bCode: (\d+)[.,] (?:DB::|e\.)/.exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // If all addresses of a host fail, the error has no message.
  if (error.message === "" && "code" in error) return String(error.code);
  return error.message;
}

export interface ServerFeatures {
  /** For example "18.16.1" or "26.7.2.1". */
  readonly version: string;
  /** Names of all settings that it knows; it rejects unknown ones. */
  readonly knownSettings: ReadonlySet<string>;
}

/** Query with lines of kind and value, for `serverFeaturesIn`. */
const SERVER_FEATURES_SQL =
  "SELECT 'version', version() UNION ALL SELECT 'setting', name FROM system.settings FORMAT TabSeparated";

function serverFeaturesIn(lines: string): ServerFeatures {
  const rows = lines.split("\n").map((line) => line.split("\t"));
  const valuesOf = (kind: string): string[] =>
    rows.filter(([each]) => each === kind).map(([, value = ""]) => value);
  return { version: valuesOf("version")[0] ?? "", knownSettings: new Set(valuesOf("setting")) };
}

/** Whether columns support compression codecs (`CODEC`), including T64. */
export function hasCodecs({ version }: ServerFeatures): boolean {
  const [year = 0, month = 0] = version.split(".").map(Number);
  return year > 19 || (year === 19 && month >= 17);
}
