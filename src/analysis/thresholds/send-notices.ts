import { createHash, createHmac } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { type Notice, noticeBody, type NoticeTarget } from "./notice.ts";
import { KeyedMutex } from "../../concurrency/mutex.ts";
import { errorMessage } from "../../model/errors.ts";

export interface NoticeEffects {
  readonly fetch: typeof fetch;
  /** Resolves early, or rejects, when `signal` is aborted. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly sent: (notice: Notice, host: string) => void;
  /** Called when a notice is given up. */
  readonly lost: (notice: Notice, host: string, reason: string) => void;
}

/** Before each further attempt: about an hour in all. */
const RETRIES_MS = [1000, 10_000, 60_000, 600_000, 3_000_000];

const TIMEOUT_MS = 10_000;

/** How long the next notice waits for the answer to the one before. */
const TURN_MS_MAX = 1000;

/** How often an attempt waits because the receiver asks it to, and for how long. */
const WAITS_MAX = 3;
const RETRY_AFTER_MS_MIN = 1000;
const RETRY_AFTER_MS_MAX = 600_000;

interface Failure {
  readonly reason: string;
  readonly isFinal: boolean;
  /** How long the receiver asks to wait. */
  readonly retryAfterMs?: number | undefined;
}

/** Posts notices to each target in turn: a chat takes about one a second, and refuses others with the time to wait. */
export class NoticeSender {
  readonly #targets: readonly NoticeTarget[];
  readonly #secret: string | undefined;
  readonly #effects: NoticeEffects;
  readonly #stop = new AbortController();
  readonly #sending = new Set<Promise<boolean>>();
  readonly #turns = new KeyedMutex();
  /** Of the notices of a load test to a target. */
  readonly #order = new KeyedMutex();

  /** With a `secret`, each request is signed. */
  constructor(
    targets: readonly NoticeTarget[],
    secret: string | undefined,
    effects: NoticeEffects,
  ) {
    this.#targets = targets;
    this.#secret = secret;
    this.#effects = effects;
  }

  /**
   * Resolves when all targets have it or it is given up, and returns whether it is not because the server stops; never rejects. Leaves out targets
   * of `done`, and calls `settled` with each that has it or is given up.
   */
  async send(
    notice: Notice,
    done: readonly string[] = [],
    settled: (target: string) => Promise<void> = async () => undefined,
  ): Promise<boolean> {
    const left = this.#targets.filter((target) => !done.includes(keyOf(target)));
    const all = left.map(async (target) => {
      // A failure that arrives after a recovery would be taken for a later one.
      const sending = this.#order
        .run(`${keyOf(target)} ${notice.loadTest.id}`, () => this.#sendTo(target, notice))
        .finally(() => this.#sending.delete(sending));
      this.#sending.add(sending);
      const isSettled = await sending;
      if (isSettled) await settled(keyOf(target)).catch(() => undefined);
      return isSettled;
    });
    return (await Promise.all(all)).every(Boolean);
  }

  /** Gives up what is not sent. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error("the server is stopping"));
    await Promise.all(this.#sending);
  }

  /** Returns whether it need not be sent again. Never rejects. */
  async #sendTo(target: NoticeTarget, notice: Notice): Promise<boolean> {
    const { form, url } = target;
    const body = noticeBody(form, notice);
    const { sent, lost } = this.#effects;
    for (const retryMs of [...RETRIES_MS, undefined]) {
      const { answer } = await this.#turns.run(keyOf(target), () => this.#attempt(target, body));
      const outcome = await answer;
      if (outcome === "sent") {
        sent(notice, url.host);
        return true;
      }
      const isStopped = this.#stop.signal.aborted;
      if (retryMs === undefined || outcome.isFinal || isStopped) {
        lost(notice, url.host, outcome.reason);
        return !isStopped;
      }
      await this.#pause(Math.max(retryMs, outcome.retryAfterMs ?? 0));
    }
    return true;
  }

  /** Resolves at the end of the turn. It includes the time that the receiver asks to wait, as it would refuse any other notice until then. */
  async #attempt(
    target: NoticeTarget,
    body: string,
  ): Promise<{ readonly answer: Promise<"sent" | Failure> }> {
    for (let waits = 0; ; waits += 1) {
      const answer = this.#post(target, body);
      const turn = delay(TURN_MS_MAX, "over" as const, { ref: false });
      const outcome = await Promise.race([answer, turn]);
      const waitMs = typeof outcome === "string" ? undefined : outcome.retryAfterMs;
      if (waitMs === undefined || waits === WAITS_MAX) return { answer };
      await this.#pause(waitMs);
    }
  }

  /** Ends early when the server stops. */
  async #pause(ms: number): Promise<void> {
    await this.#effects.wait(ms, this.#stop.signal).catch(() => undefined);
  }

  async #post({ url, authorization }: NoticeTarget, body: string): Promise<"sent" | Failure> {
    try {
      const {
        status,
        headers,
        body: answer,
      } = await this.#effects.fetch(url, {
        method: "POST",
        headers: {
          "Content-Type": "application/json",
          ...(authorization === undefined ? {} : { Authorization: authorization }),
          ...(this.#secret === undefined ? {} : signature(this.#secret, body)),
        },
        body,
        // Another address is not the one that the operator allowed.
        redirect: "manual",
        signal: AbortSignal.any([this.#stop.signal, AbortSignal.timeout(TIMEOUT_MS)]),
      });
      await answer?.cancel();
      if (status >= 200 && status < 300) return "sent";
      const isFinal = status < 500 && status !== 408 && status !== 429;
      const retryAfterMs = status === 429 ? retryAfterMsOf(headers) : undefined;
      return { reason: `the receiver responded ${status}`, isFinal, retryAfterMs };
    } catch (error) {
      const cause = error instanceof Error ? (error.cause ?? error) : error;
      return { reason: errorMessage(cause), isFinal: false };
    }
  }
}

/** `undefined` without the header, or if it is a date. */
function retryAfterMsOf(headers: Headers): number | undefined {
  const seconds = /^\d{1,6}$/.exec(headers.get("retry-after") ?? "")?.[0];
  if (seconds === undefined) return undefined;
  return Math.min(RETRY_AFTER_MS_MAX, Math.max(RETRY_AFTER_MS_MIN, Number(seconds) * 1000));
}

/** Recognises a target without telling its address, which is a secret. */
function keyOf({ form, url }: NoticeTarget): string {
  return createHash("sha256").update(`${form}+${url.href}`).digest("hex").slice(0, 16);
}

/** As GitHub signs webhooks: HMAC-SHA256 of the body, in hex. */
function signature(secret: string, body: string): Record<string, string> {
  const digest = createHmac("sha256", secret).update(body).digest("hex");
  return { "X-Tachograph-Signature-256": `sha256=${digest}` };
}
