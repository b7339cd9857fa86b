import assert from "node:assert/strict";
import path from "node:path";
import {
  type RunningTachograph,
  runTachograph,
  startTachograph,
} from "../../support/run-tachograph.ts";

const PATIENCE_MS = 60_000;

/** Whom writers ask: a server, or several on one database. */
export interface ServerAccess {
  /** With the key. Rejects with a `TypeError` if there is no answer. */
  fetch(at: string, request?: RequestInit): Promise<Response>;
  /** The body of a response. Throws unless the status is 200. */
  text(at: string): Promise<string>;
}

/** A server on a store of its own that can be killed and restarted at the same address. */
export class ServedStore implements ServerAccess, AsyncDisposable {
  /** Its data directory, or the URL of its database. */
  readonly data: string;
  /** A read and write key. */
  readonly key: string;
  /** Added to the environment of the next start. */
  environment: Readonly<Record<string, string>> = {};
  /** Arguments of the next start, after address and directory. */
  words: readonly string[];
  #port = 0;
  #running: RunningTachograph | undefined;

  /** Takes an existing data directory, or a database, and a key of it; starts nothing. */
  constructor(data: string, key: string, words: readonly string[] = []) {
    this.data = data;
    this.key = key;
    this.words = words;
  }

  /** Starts a server with the arguments `words` on an empty store in `folder`. */
  static async startIn(folder: string, words: readonly string[] = []): Promise<ServedStore> {
    const data = path.join(folder, "data");
    const asked = ["--name", "fault", "--scope", "read,write"];
    const { out } = await runTachograph(["keys", "create", ...asked, "--data", data]);
    const store = new ServedStore(data, out.trim(), words);
    await store.start();
    return store;
  }

  get port(): number {
    return this.#port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get running(): RunningTachograph {
    assert.ok(this.#running !== undefined, "the server runs");
    return this.#running;
  }

  /** Returns the milliseconds until the first 200. */
  async start(): Promise<number> {
    const beganAtMs = performance.now();
    const out = await this.begin().printed("answers at");
    this.#port = Number(/:(\d+)/.exec(out)?.[1]);
    assert.equal((await this.fetch("/health/ready")).status, 200);
    return performance.now() - beganAtMs;
  }

  /** Starts it without waiting until it is ready. */
  begin(): RunningTachograph {
    const store = this.data.startsWith("postgres:") ? "--postgres" : "--data";
    const address = ["--port", String(this.#port), store, this.data];
    const words = ["serve", ...address, ...this.words];
    this.#running = startTachograph(words, "ended", { environment: this.environment });
    return this.#running;
  }

  /** Resolves when it is dead. */
  async kill(): Promise<void> {
    this.running.process.kill("SIGKILL");
    const { exitCode, error } = await this.running.outcome;
    assert.equal(exitCode, undefined, `it ended before it was killed: ${error}`);
  }

  /** Stops it with SIGTERM. Returns its log. */
  async stop(): Promise<string> {
    this.running.process.kill("SIGTERM");
    const { exitCode, error } = await this.running.outcome;
    assert.equal(exitCode, 0, error);
    return error;
  }

  async fetch(at: string, request: RequestInit = {}): Promise<Response> {
    const headers = new Headers(request.headers);
    headers.set("X-Service-Auth", this.key);
    const signal = AbortSignal.timeout(PATIENCE_MS);
    return fetch(`${this.url}${at}`, { signal, ...request, headers });
  }

  async createLoadTest(id: string): Promise<void> {
    const made = await this.fetch("/Api/LoadTests", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ id, name: id }),
    });
    assert.equal(made.status, 201, await made.text());
  }

  /** The body of a response. Throws unless the status is 200. */
  async text(at: string): Promise<string> {
    const answer = await this.fetch(at);
    const text = await answer.text();
    assert.equal(answer.status, 200, `${at}: ${text}`);
    return text;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#running?.process.kill("SIGKILL");
    await this.#running?.outcome;
  }
}
