import type { ServerAccess } from "./served-store.ts";

/** A server gives up its database after half of this time. */
const PATIENCE_MS = 60_000;
const PAUSE_MS = 200;

/**
 * Several servers on a database: a request goes to the same one until it does not answer. Writes without an answer fail with a
 * `TypeError`, as those of `fetch`; reads are repeated.
 */
export class SeveralServers implements ServerAccess {
  readonly #urls: () => readonly string[];
  readonly #key: string;
  #at = 0;

  /** `urls` may change when servers start again. */
  constructor(urls: () => readonly string[], key: string) {
    [this.#urls, this.#key] = [urls, key];
  }

  async fetch(at: string, request: RequestInit = {}): Promise<Response> {
    const isRead = (request.method ?? "GET") === "GET";
    for (let left = PATIENCE_MS / PAUSE_MS; ; left--) {
      try {
        return await this.#attempt(at, request);
      } catch (error) {
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
        if (!isRead || left <= 0) throw error;
      }
    }
  }

  async text(at: string): Promise<string> {
    const answer = await this.fetch(at);
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${at}: ${answer.status} ${text}`);
    return text;
  }

  async #attempt(at: string, request: RequestInit): Promise<Response> {
    const urls = this.#urls();
    const url = urls[this.#at % urls.length] ?? "";
    const headers = new Headers(request.headers);
    headers.set("X-Service-Auth", this.#key);
    try {
      const signal = AbortSignal.timeout(PATIENCE_MS);
      const answer = await fetch(`${url}${at}`, { signal, ...request, headers });
      if (answer.status < 500) return answer;
      throw new TypeError(`${url}${at}: ${answer.status} ${await answer.text()}`);
    } catch (error) {
      this.#at += 1;
      throw error instanceof TypeError
        ? error
        : new TypeError(`${url}${at}: no answer`, { cause: error });
    }
  }
}
