import { setTimeout as sleep } from "node:timers/promises";
import type { LoadTestJson } from "../../api/load-tests.ts";
import type { Api } from "../../client/api.ts";
import { readEvents } from "../../client/read-events.ts";
import { UserError } from "../../model/errors.ts";

/** A server sends changes within a second. After this long without any, the run is requested. */
const FRESH_MS = 2500;

const RETRY_MS = 3000;

interface NewsDependencies {
  readonly api: Pick<Api, "ask" | "open">;
  readonly id: string;
  /** Whether there is a server, which sends changes as they happen. */
  readonly isServed: boolean;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Ends the stream. */
  readonly interrupted: AbortSignal;
}

/** The current state of a run: from the server's event stream, or requested while that is interrupted or silent. */
export class RunNews {
  readonly #dependencies: NewsDependencies;
  #streamed: LoadTestJson | undefined;
  #streamedAtMs = -Infinity;
  #isFollowing = false;
  #wake: () => void = () => undefined;

  constructor(dependencies: NewsDependencies) {
    this.#dependencies = dependencies;
  }

  /** `undefined`: it does not exist. Throws what `Api.ask` throws. */
  async read(): Promise<LoadTestJson | undefined> {
    const { api, id, isServed, now } = this.#dependencies;
    if (now() - this.#streamedAtMs < FRESH_MS) return this.#streamed;
    const run = await api.ask("getLoadTest", { id }).catch(absentOrThrow);
    if (run === undefined || !isServed || this.#isFollowing) return run;
    this.#isFollowing = true;
    void this.#follow();
    return run;
  }

  /** Resolves when the run changes, after a time at the latest. */
  async wait(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const { interrupted } = this.#dependencies;
    const late = sleep(ms, undefined, { signal: interrupted }).catch(() => undefined);
    await Promise.race([promise, late]);
  }

  /** Until interrupted, or until it cannot be followed. */
  async #follow(): Promise<void> {
    const { api, id, now, interrupted } = this.#dependencies;
    while (!interrupted.aborted) {
      try {
        const chunks = api.open("streamEvents", { id }, interrupted);
        for await (const { name, data } of readEvents(textsOf(chunks))) {
          if (name !== "data") continue;
          [this.#streamed, this.#streamedAtMs] = [data as LoadTestJson, now()];
          this.#wake();
        }
      } catch (error) {
        // `read` reports a lasting error.
        if (!(error instanceof UserError && error.kind === "unavailable")) return;
      }
      await sleep(RETRY_MS, undefined, { signal: interrupted }).catch(() => undefined);
    }
  }
}

async function* textsOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true });
}

function absentOrThrow(error: unknown): undefined {
  if (error instanceof UserError && error.code === "unknown-load-test") return undefined;
  throw error;
}
