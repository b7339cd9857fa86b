import { Agent, request } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { BATCH_MEDIA_TYPE, encodeBatch } from "../../../src/wire/batch.ts";
import { killedBatch, SENDERS } from "../killed-batch.ts";

const PAUSE_MS = 10;
const ATTEMPT_MS_MAX = 5000;
/** What a sender has to try again after. */
const PASSING_STATUSES = new Set([408, 429, 503]);

interface SendingHabits {
  /** After so many requests of a sender its connection is closed. @default it is kept */
  readonly requestsPerConnection?: number;
  /** Between a sender's batches. @default none */
  readonly pauseMs?: number;
}

export interface SendingTarget {
  readonly port: number;
  readonly key: string;
  readonly loadTestId: string;
}

/**
 * Senders of live batches, each of which sends a batch again, under the same number, until it is
 * acknowledged. They go on until they are stopped.
 */
export class LiveSenders {
  /** How many batches of each were acknowledged. */
  readonly acknowledged: number[] = Array.from({ length: SENDERS }, () => 0);
  /** How long each attempt took that was acknowledged. */
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
    // Whoever waits for the next acknowledgement is told as well.
    this.#sending.catch((error: unknown) => this.#next.reject(error));
  }

  /** Attempts that found their batch stored already. */
  get repeated(): number {
    return this.#repeated;
  }

  /** Fulfilled with the next acknowledgement. */
  next(): Promise<void> {
    return this.#next.promise;
  }

  /** Attempts under way go on; no other begins until `release`. */
  hold(): void {
    this.#gate = Promise.withResolvers();
  }

  release(): void {
    this.#gate.resolve();
  }

  /** Fulfilled when all that was begun is acknowledged. */
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

/** The source that a sender's batches belong to. */
export function sourceOf(sender: number): string {
  return `sender-${sender}`;
}
