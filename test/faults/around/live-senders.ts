import { Agent, request } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { BATCH_MEDIA_TYPE, encodeBatch } from "../../../src/wire/batch.ts";
import { killedBatch, SENDERS } from "../killed-batch.ts";

const PAUSE_MS = 10;
const ATTEMPT_MS_MAX = 5000;
/** Statuses after which a sender retries. */
const PASSING_STATUSES = new Set([408, 429, 503]);

interface SendingHabits {
  /** Closes a sender's connection after this many requests. @default keeps it open */
  readonly requestsPerConnection?: number;
  /** Pause between the batches of a sender. @default none */
  readonly pauseMs?: number;
}

export interface SendingTarget {
  readonly port: number;
  readonly key: string;
  readonly loadTestId: string;
}

/**
 * Senders of live batches. Each repeats a batch, with the same number, until it is acknowledged, and
 * continues until `stop`.
 */
export class LiveSenders {
  /** Acknowledged batches of each sender. */
  readonly acknowledged: number[] = Array.from({ length: SENDERS }, () => 0);
  /** Durations of the acknowledged attempts. */
  readonly tookMs: number[] = [];
  readonly #target: SendingTarget;
  readonly #requestsPerConnection: number;
  readonly #pauseMs: number;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #sending: Promise<unknown>;
  #isEnding = false;
  #gate = Promise.withResolvers<void>();
  #next = Promise.withResolvers<void>();
  #repeated = 0;
  #attempts = 0;

  constructor(
    target: SendingTarget,
    { requestsPerConnection = Infinity, pauseMs = 0 }: SendingHabits = {},
  ) {
    this.#target = target;
    this.#requestsPerConnection = requestsPerConnection;
    this.#pauseMs = pauseMs;
    this.#gate.resolve();
    this.#sending = Promise.all(this.acknowledged.map((_, sender) => this.#send(sender)));
    // Also rejects the promise of `next`.
    this.#sending.catch((error: unknown) => this.#next.reject(error));
  }

  /** Attempts whose batch was already stored. */
  get repeated(): number {
    return this.#repeated;
  }

  /** Resolves with the next acknowledgement. */
  next(): Promise<void> {
    return this.#next.promise;
  }

  /** Attempts in flight continue; no other starts until `release`. */
  hold(): void {
    this.#gate = Promise.withResolvers();
  }

  release(): void {
    this.#gate.resolve();
  }

  /** Resolves when everything started is acknowledged. */
  async stop(): Promise<void> {
    this.#isEnding = true;
    await this.#sending;
    this.#agent.destroy();
  }

  async #send(sender: number): Promise<void> {
    for (let sequence = 0; !this.#isEnding; sequence++) {
      const { loadTestId: _, ...batch } = killedBatch(sender, sequence);
      const bytes = encodeBatch({ ...batch, sourceId: sourceOf(sender) });
      while (!(await this.#isAcknowledged(bytes))) await setTimeout(PAUSE_MS);
      this.acknowledged[sender] = sequence + 1;
      this.#next.resolve();
      this.#next = Promise.withResolvers();
      if (this.#pauseMs > 0) await setTimeout(this.#pauseMs);
    }
  }

  async #isAcknowledged(bytes: Uint8Array): Promise<boolean> {
    await this.#gate.promise;
    const beganAtMs = performance.now();
    const answer = await this.#attempt(bytes).catch(() => undefined);
    if (answer === undefined || PASSING_STATUSES.has(answer.status)) return false;
    if (answer.status !== 200) throw new Error(`a batch was refused: ${answer.body}`);
    if ((JSON.parse(answer.body) as { duplicate: boolean }).duplicate) this.#repeated += 1;
    this.tookMs.push(performance.now() - beganAtMs);
    return true;
  }

  #attempt(bytes: Uint8Array): Promise<{ readonly status: number; readonly body: string }> {
    const { port, key, loadTestId } = this.#target;
    const isLast =
      this.#attempts++ % this.#requestsPerConnection === this.#requestsPerConnection - 1;
    return new Promise((resolve, reject) => {
      const sent = request({
        host: "127.0.0.1",
        port,
        path: `/Api/LoadTests/${loadTestId}/Batches`,
        method: "POST",
        agent: this.#agent,
        signal: AbortSignal.timeout(ATTEMPT_MS_MAX),
        headers: {
          "X-Service-Auth": key,
          "Content-Type": BATCH_MEDIA_TYPE,
          "Content-Length": bytes.length,
          ...(isLast ? { Connection: "close" } : {}),
        },
      });
      sent.once("error", reject);
      sent.once("response", (answer) => {
        text(answer).then((body) => resolve({ status: answer.statusCode ?? 0, body }), reject);
      });
      sent.end(bytes);
    });
  }
}

export function sourceOf(sender: number): string {
  return `sender-${sender}`;
}
