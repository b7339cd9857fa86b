import { type Form, formed, badAnswer } from "./form-of.ts";
import { ERROR_CATALOGUE, type ErrorCode, UserError } from "../model/errors.ts";
import { TooManyLabels } from "../model/label.ts";

/** The server that is called, and what calling needs of the world. */
export interface ServerCallsOptions {
  /** Address of the server, with its path prefix if it has one. */
  readonly url: string;
  readonly key: string;
  readonly fetch: typeof fetch;
  readonly wait: (ms: number) => Promise<void>;
  /** Milliseconds of a clock that only goes forward. */
  readonly clockMs: () => number;
  /** From 0 to 1, so that many senders do not come back all at once. */
  readonly random: () => number;
  /** How long a call may fail before it is given up; asked after each failure. */
  readonly patienceMs: () => number;
  /** Told when the server cannot be reached any more, and when it can again. */
  readonly warn: (message: string) => void;
}

export interface ServerCall {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Below the server's address; its parts are encoded already. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array<ArrayBuffer> | string;
}

/** What is done with an answer that is none of refusal. Its errors are those of the call. */
type Take<Taken> = (answer: Response) => Promise<Taken>;

const JSON_TYPE = "application/json";
const ATTEMPT_MS_MAX = 30_000;
const FIRST_PAUSE_MS = 250;
const PAUSE_MS_MAX = 5000;
const RETRY_AFTER_MS_MAX = 60_000;

/** Statuses that another attempt can heal: the others are answers. */
const PASSING_STATUSES = new Set([408, 425, 429, 500, 502, 503, 504]);
/** Errors of the transport, which the same request will not meet again. */
const PASSING_CODES = new Set(["body-incomplete", "request-timeout"]);

/**
 * Calls a server until it answers: what the network, a restart or too much load keeps from it is
 * sent again, after pauses that grow. So a call may arrive several times; all that are made here
 * change nothing the second time.
 */
export class ServerCalls {
  readonly #options: ServerCallsOptions;
  #isDown = false;

  constructor(options: ServerCallsOptions) {
    this.#options = options;
  }

  /** The JSON of the answer. Throws the server's refusal, and `server-unreachable`. */
  call(call: ServerCall): Promise<unknown> {
    return this.#untilTaken({ ...call, msMax: ATTEMPT_MS_MAX }, async (answer) => {
      const text = await answer.text();
      return text === "" ? undefined : (JSON.parse(text) as unknown);
    });
  }

  /**
   * The JSON at `path`, however long it takes to be made. Throws what `call` throws, and `bad-answer`
   * where it has another form.
   */
  read<Value>(path: string, form: Form<Value>): Promise<Value> {
    return this.#untilTaken({ method: "GET", path }, async (answer) => {
      this.#checkType(answer, path, JSON_TYPE);
      return formed(form, await answer.json(), this.#answerTo(path));
    });
  }

  /**
   * The same as bytes, which nobody holds all of. Throws what `read` throws, and where the bytes break
   * off, while they are read, `server-unreachable`: it is too late then to begin anew.
   */
  open(path: string, mediaType = JSON_TYPE): Promise<AsyncIterable<Uint8Array>> {
    return this.#untilTaken({ method: "GET", path }, async (answer) => {
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
      this.#missed(outcome.reason);
      if (clockMs() - startedAtMs >= patienceMs()) {
        throw new UserError("server-unreachable", `cannot reach ${url}: ${outcome.reason}`);
      }
      await wait(outcome.retryAfterMs ?? this.#pauseMs(attempt));
    }
  }

  async #attempt<Taken>(call: LimitedCall, take: Take<Taken>): Promise<Outcome<Taken>> {
    const { method, path, headers = {}, body, msMax } = call;
    const { url, key, fetch } = this.#options;
    try {
      const answer = await fetch(`${url}${path}`, {
        method,
        headers: { "X-Service-Auth": key, ...headers },
        // A key must not follow to wherever a redirection leads.
        redirect: "manual",
        ...(msMax === undefined ? {} : { signal: AbortSignal.timeout(msMax) }),
        ...(body === undefined ? {} : { body }),
      });
      if (answer.ok) return { taken: await take(answer) };
      return failureOf(answer, await answer.text(), `${method} ${withoutQuery(path)}`);
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

  #answerTo(path: string): string {
    return `the answer of ${this.#options.url} to GET ${withoutQuery(path)}`;
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
    this.#options.warn(`${this.#options.url} is reached again`);
  }
}

/** A call, and how long one attempt may take. @default as long as bytes come now and then */
type LimitedCall = ServerCall & { readonly msMax?: number };

type Outcome<Taken> =
  | { readonly taken: Taken }
  | { readonly reason: string; readonly retryAfterMs?: number | undefined };

async function* piecesOf(answer: Response, what: string): AsyncGenerator<Uint8Array> {
  try {
    if (answer.body !== null) yield* answer.body;
  } catch (error) {
    if (isInterruption(error)) throw error;
    throw new UserError("server-unreachable", `${what} broke off: ${reasonOf(error)}`);
  }
}

/** Throws what another attempt would meet again. */
function failureOf(answer: Response, text: string, what: string): Outcome<never> {
  const problem = problemIn(text);
  const { code, detail } = problem;
  if (canPass(answer.status, code)) {
    const reason = `status ${answer.status}${detail === "" ? "" : `, ${detail}`}`;
    return { reason, retryAfterMs: retryAfterMsOf(answer) };
  }
  if (code === "too-many-labels") throw tooManyLabelsIn(problem);
  if (code in ERROR_CATALOGUE) throw new UserError(code as ErrorCode, detail);
  throw new UserError(
    "server-refused",
    `the server refused ${what} with status ${answer.status}${detail === "" ? "" : `: ${detail}`}${hintAt(answer)}`,
  );
}

/** What the status alone does not tell those who gave address and key. */
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

/** What an answer in the form of RFC 9457 says; nothing and empty texts for any other. */
function problemIn(text: string): ReadProblem {
  try {
    const problem = JSON.parse(text) as Readonly<Record<string, unknown>>;
    const code = /^urn:tachograph:error:(.+)$/.exec(String(problem["type"]))?.[1] ?? "";
    const labels = Array.isArray(problem["labels"]) ? problem["labels"].map(String) : [];
    const labelsMax = Number(problem["labelsMax"] ?? 0);
    return { code, detail: textOf(problem["detail"]), labels, labelsMax };
  } catch {
    return { code: "", detail: "", labels: [], labelsMax: 0 };
  }
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** An earlier server does not tell which labels: then nothing can be done about it. */
function tooManyLabelsIn({ detail, labels, labelsMax }: ReadProblem): UserError {
  if (labels.length === 0) return new UserError("too-many-labels", detail);
  return new TooManyLabels(labels, labelsMax, detail);
}

function retryAfterMsOf({ headers }: Response): number | undefined {
  const seconds = /^\d{1,6}$/.exec(headers.get("retry-after") ?? "")?.[0];
  return seconds === undefined ? undefined : Math.min(RETRY_AFTER_MS_MAX, Number(seconds) * 1000);
}

function withoutQuery(path: string): string {
  return path.replace(/\?.*/, "");
}

/** Whether somebody has had enough, rather than that a time is over. */
function isInterruption(error: unknown): boolean {
  return error instanceof Error && error.name === "AbortError";
}

/** What OpenSSL says where the other side does not speak TLS. */
const NOT_TLS = /wrong version number|packet length too long|record layer/i;

/** A server with TLS closes the connection on plain HTTP without an answer. */
const CLOSED = /other side closed|ECONNRESET|socket hang up/i;

/** Throws `server-unreachable` where only another scheme can help. */
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

/** What the network says is in the cause of what `fetch` says. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  return cause.message === "" && "code" in cause ? String(cause.code) : cause.message;
}
