import { membersIn, parsedJson } from "../model/json-text.ts";
import { differenceFrom, type JsonSchema, type Static } from "../api/schema.ts";
import { ERROR_CATALOGUE, type ErrorCode, UserError } from "../model/errors.ts";
import { TooManyLabels } from "../model/label.ts";

export interface ServerCallsOptions {
  /** URL of the server, with its path prefix. */
  readonly url: string;
  readonly key: string;
  readonly fetch: typeof fetch;
  readonly wait: (ms: number) => Promise<void>;
  /** Milliseconds of a monotonic clock. */
  readonly clockMs: () => number;
  /** From 0 to 1, to spread the retries of many senders. */
  readonly random: () => number;
  /** How long to retry a call; read after each failure. */
  readonly patienceMs: (method: ServerCall["method"]) => number;
  /** Time limit of one attempt of `call` and `request`. @default as long as bytes arrive */
  readonly attemptMsMax?: number;
  /** Called when the server becomes unreachable, and when it is back. */
  readonly warn: (message: string) => void;
}

export interface ServerCall {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Relative to the server's URL; already encoded. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A stream is sent once: such a call is not repeated, and takes as long as it takes. */
  readonly body?: Uint8Array<ArrayBuffer> | ReadableStream;
  /** A body to send as JSON. */
  readonly members?: object;
}

/** Processes a successful response. Its errors are those of the call. */
type Take<Taken> = (answer: Response) => Promise<Taken>;

const JSON_TYPE = "application/json";
const FIRST_PAUSE_MS = 250;
const PAUSE_MS_MAX = 5000;
const RETRY_AFTER_MS_MAX = 60_000;
const TEXT_BYTES_MAX = 512 * 1024 * 1024;

/** Retryable statuses; all others are final. */
const PASSING_STATUSES = new Set([408, 425, 429, 500, 502, 503, 504]);
/** Transport errors that can pass. */
const PASSING_CODES = new Set(["body-incomplete", "request-timeout"]);

/** Calls a server idempotently: retries network errors, restarts and overload after growing pauses. */
export class ServerCalls {
  readonly #options: ServerCallsOptions;
  #isDown = false;

  constructor(options: ServerCallsOptions) {
    this.#options = options;
  }

  /** Returns the JSON of the response. Throws the server's refusal, and `server-unreachable`. */
  call(call: ServerCall): Promise<unknown> {
    const isStream = call.body instanceof ReadableStream;
    const msMax = isStream ? undefined : this.#options.attemptMsMax;
    return this.#untilTaken({ ...call, msMax }, async (answer) => {
      const text = await textIn(answer, this.#answerTo(call.path, call.method));
      return text === "" ? undefined : (JSON.parse(text) as unknown);
    });
  }

  /** As `call`; also throws `bad-answer` if the JSON does not match the schema. */
  async request<Schema extends JsonSchema>(
    call: ServerCall,
    schema: Schema,
  ): Promise<Static<Schema>> {
    return formed(schema, await this.call(call), this.#answerTo(call.path, call.method));
  }

  /** Returns the JSON at `path`, without a time limit. Throws what `request` throws. */
  read<Schema extends JsonSchema>(path: string, schema: Schema): Promise<Static<Schema>> {
    return this.#untilTaken({ method: "GET", path }, async (answer) => {
      this.#checkType(answer, path, JSON_TYPE);
      const text = await textIn(answer, this.#answerTo(path));
      return formed(schema, JSON.parse(text) as unknown, this.#answerTo(path));
    });
  }

  /** Streams the bytes at `path`. Throws what `read` throws, and `server-unreachable` once it is too late to retry. */
  open(
    path: string,
    mediaType = JSON_TYPE,
    signal?: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>> {
    return this.#untilTaken({ method: "GET", path, signal }, async (answer) => {
      this.#checkType(answer, path, mediaType);
      return piecesOf(answer, this.#answerTo(path));
    });
  }

  async #untilTaken<Taken>(call: LimitedCall, take: Take<Taken>): Promise<Taken> {
    const startedAtMs = this.#options.clockMs();
    for (let attempt = 0; ; attempt++) {
      const outcome = await this.#attempt(call, take);
      if ("taken" in outcome) {
        this.#reached();
        return outcome.taken;
      }
      const { url, clockMs, wait, patienceMs } = this.#options;
      const isOver = call.body instanceof ReadableStream;
      if (isOver || clockMs() - startedAtMs >= patienceMs(call.method)) {
        throw new UserError("server-unreachable", `cannot reach ${url}: ${outcome.reason}`);
      }
      this.#missed(outcome.reason);
      await wait(outcome.retryAfterMs ?? this.#pauseMs(attempt));
    }
  }

  async #attempt<Taken>(call: LimitedCall, take: Take<Taken>): Promise<Outcome<Taken>> {
    const { method, path, members, msMax } = call;
    const signal = call.signal ?? (msMax === undefined ? undefined : AbortSignal.timeout(msMax));
    const { url, key, fetch } = this.#options;
    const body = members === undefined ? call.body : JSON.stringify(members);
    const headers = members === undefined ? call.headers : { "Content-Type": JSON_TYPE };
    try {
      const answer = await fetch(`${url}${path}`, {
        method,
        headers: { "X-Service-Auth": key, ...headers },
        // The key must not be sent to the target of a redirect.
        redirect: "manual",
        ...(signal === undefined ? {} : { signal }),
        ...(body === undefined ? {} : { body }),
        ...(body instanceof ReadableStream ? { duplex: "half" } : {}),
      });
      if (answer.ok) return { taken: await take(answer) };
      const text = await textIn(answer, this.#answerTo(path, method));
      return failureOf(answer, text, `${method} ${withoutQuery(path)}`);
    } catch (error) {
      if (error instanceof UserError || isInterruption(error)) throw error;
      return { reason: `${reasonOf(error)}${schemeHint(url, error)}` };
    }
  }

  #checkType({ headers }: Response, path: string, mediaType: string): void {
    const type = headers.get("content-type") ?? "nothing";
    if (type.replace(/;.*/, "").trim().toLowerCase() === mediaType) return;
    throw badAnswer(this.#answerTo(path), `expected ${mediaType}, got ${type.slice(0, 100)}`);
  }

  #answerTo(path: string, method = "GET"): string {
    return `the answer of ${this.#options.url} to ${method} ${withoutQuery(path)}`;
  }

  #pauseMs(attempt: number): number {
    const pauseMs = Math.min(PAUSE_MS_MAX, FIRST_PAUSE_MS * 2 ** Math.min(attempt, 10));
    return pauseMs * (0.5 + this.#options.random() / 2);
  }

  #missed(reason: string): void {
    if (this.#isDown) return;
    this.#isDown = true;
    this.#options.warn(`cannot reach ${this.#options.url} (${reason}): trying again`);
  }

  #reached(): void {
    if (!this.#isDown) return;
    this.#isDown = false;
    this.#options.warn(`connected to ${this.#options.url} again`);
  }
}

/** A call, and what ends an attempt: a signal, or else a time limit. @default as long as bytes arrive */
type LimitedCall = ServerCall & {
  readonly msMax?: number | undefined;
  readonly signal?: AbortSignal | undefined;
};

type Outcome<Taken> =
  | { readonly taken: Taken }
  | { readonly reason: string; readonly retryAfterMs?: number | undefined };

/** Throws `bad-answer` if it is longer than a text can be: a server that sends for ever takes no more memory. */
async function textIn({ body }: Response, what: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > TEXT_BYTES_MAX) throw badAnswer(what, "expected at most 512 MiB");
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

async function* piecesOf(answer: Response, what: string): AsyncGenerator<Uint8Array> {
  try {
    if (answer.body !== null) yield* answer.body;
  } catch (error) {
    if (isInterruption(error)) throw error;
    throw new UserError("server-unreachable", `${what} broke off: ${reasonOf(error)}`);
  }
}

/** Throws permanent errors. */
function failureOf(answer: Response, text: string, what: string): Outcome<never> {
  const { code, detail, labels, labelsMax } = problemIn(text);
  if (canPass(answer.status, code)) {
    const reason = `status ${answer.status}${detail === "" ? "" : `, ${detail}`}`;
    return { reason, retryAfterMs: retryAfterMsOf(answer) };
  }
  // An earlier server does not name the labels: then retrying cannot help.
  const hasLabels = code === "too-many-labels" && labels.length > 0;
  if (hasLabels) throw new TooManyLabels(labels, labelsMax, detail);
  if (code in ERROR_CATALOGUE) throw new UserError(code as ErrorCode, detail);
  throw new UserError(
    "server-refused",
    `the server refused ${what} with status ${answer.status}${detail === "" ? "" : `: ${detail}`}${hintAt(answer)}`,
  );
}

/** Hints for statuses that a wrong key or URL causes. */
function hintAt({ status, headers }: Response): string {
  if (status === 401) return "; the key is unknown there, revoked or expired";
  const location = headers.get("location");
  return location === null ? "" : `; it redirects to ${location.slice(0, 200)}`;
}

function canPass(status: number, code: string): boolean {
  return code !== "damaged-store" && (PASSING_STATUSES.has(status) || PASSING_CODES.has(code));
}

interface ReadProblem {
  readonly code: string;
  readonly detail: string;
  readonly labels: readonly string[];
  readonly labelsMax: number;
}

/** Details of a response in the format of RFC 9457; empty for any other. */
function problemIn(text: string): ReadProblem {
  const { type, detail, labels, labelsMax = 0 } = membersIn(parsedJson(text));
  return {
    code: /^urn:tachograph:error:(.+)$/.exec(String(type))?.[1] ?? "",
    detail: typeof detail === "string" ? detail : "",
    labels: Array.isArray(labels) ? labels.map(String) : [],
    labelsMax: Number(labelsMax),
  };
}

function retryAfterMsOf({ headers }: Response): number | undefined {
  const seconds = /^\d{1,6}$/.exec(headers.get("retry-after") ?? "")?.[0];
  return seconds === undefined ? undefined : Math.min(RETRY_AFTER_MS_MAX, Number(seconds) * 1000);
}

function withoutQuery(path: string): string {
  return path.replace(/\?.*/, "");
}

/** Whether the caller aborted, rather than a time-out. */
function isInterruption(error: unknown): boolean {
  return error instanceof Error && error.name === "AbortError";
}

/** Error of OpenSSL if the other side does not speak TLS. */
const NOT_TLS = /wrong version number|packet length too long|record layer/i;

/** A TLS server closes a plain HTTP connection without a response. */
const CLOSED = /other side closed|ECONNRESET|socket hang up/i;

/** Throws `server-unreachable` if only another scheme can help. */
function schemeHint(url: string, error: unknown): string {
  const reason = reasonOf(error);
  if (url.startsWith("https:") && NOT_TLS.test(reason)) {
    throw new UserError(
      "server-unreachable",
      `cannot reach ${url}: the server speaks plain HTTP; use ${url.replace("https:", "http:")}`,
    );
  }
  if (!url.startsWith("http:") || !CLOSED.test(reason)) return "";
  return `; if the server has TLS, use ${url.replace("http:", "https:")}`;
}

/** `fetch` puts the network error into the cause of its error. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  return cause.message === "" && "code" in cause ? String(cause.code) : cause.message;
}

/**
 * Returns `value` if it matches `schema`; additional members are accepted, patterns are not checked. Throws
 * `bad-answer`; `what` names the response.
 */
export function formed<Schema extends JsonSchema>(
  schema: Schema,
  value: unknown,
  what: string,
): Static<Schema> {
  const difference = differenceFrom(schema, value, "");
  if (difference !== undefined) throw badAnswer(what, difference);
  return value as Static<Schema>;
}

/** `what` names the response, `difference` what was expected and received. */
function badAnswer(what: string, difference: string): UserError {
  return new UserError(
    "bad-answer",
    `${what} has an unexpected form: ${difference}; is this a Tachograph server, at least as new as this program?`,
  );
}
