/** A network that loses, repeats and delays requests, and a server behind it. */

import type { TestServer } from "../support/test-server.ts";

/** What happens to a request. Only in the first two cases does the sender get a response. */
const FATES = [
  "answered",
  "refused for the moment",
  "lost",
  "arrived, answer lost",
  "arrived twice, answer lost",
  "held up",
] as const;

type Fate = (typeof FATES)[number];

export class BadNetwork {
  /** Delayed requests that their sender believes lost. */
  readonly #heldUp: (() => Promise<Response>)[] = [];
  readonly #server: TestServer;
  readonly #random: () => number;
  /** Share of requests with a fault. */
  faults = 0.5;

  constructor(server: TestServer, random: () => number) {
    this.#server = server;
    this.#random = random;
  }

  readonly fetch: typeof fetch = async (input, init = {}) => {
    const fate = this.#fate();
    const arrive = (): Promise<Response> => this.#arrive(input as string, init);
    if (fate === "refused for the moment") {
      return new Response("", { status: 503, headers: { "Retry-After": "1" } });
    }
    if (fate === "answered") {
      // A delayed request may arrive before or after this one.
      if (this.#random() < 0.3) await this.#letOneThrough();
      return arrive();
    }
    if (fate === "held up") this.#heldUp.push(arrive);
    if (fate.startsWith("arrived")) await arrive();
    if (fate === "arrived twice, answer lost") await arrive();
    throw new TypeError("fetch failed", { cause: new Error(fate) });
  };

  /** Delivers all delayed requests. */
  async letAllThrough(): Promise<void> {
    while (this.#heldUp.length > 0) await this.#letOneThrough();
  }

  async #letOneThrough(): Promise<void> {
    const at = Math.floor(this.#random() * this.#heldUp.length);
    await this.#heldUp.splice(at, 1)[0]?.();
  }

  #fate(): Fate {
    if (this.#random() >= this.faults) return "answered";
    return FATES[1 + Math.floor(this.#random() * (FATES.length - 1))] as Fate;
  }

  async #arrive(url: string, { method = "GET", headers, body }: RequestInit): Promise<Response> {
    const answer = await this.#server.server.inject({
      method: method as "GET",
      url: new URL(url).pathname,
      headers: headers as Record<string, string>,
      ...(body === undefined || body === null
        ? {}
        : { payload: typeof body === "string" ? body : Buffer.from(body as Uint8Array) }),
    });
    const text = answer.statusCode === 204 ? null : answer.body;
    return new Response(text, { status: answer.statusCode });
  }
}
