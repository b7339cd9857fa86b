import assert from "node:assert/strict";
import { Agent, request } from "node:http";
import { connect } from "node:net";
import { setTimeout } from "node:timers/promises";
import { BATCH_MEDIA_TYPE, encodeBatch } from "../../../src/wire/batch.ts";
import { batchOf, sample } from "../../support/batches.ts";
import type { ServedStore } from "./served-store.ts";

const SENDERS = 7;
const ENDPOINTS = 20;
const LINES = 20;
const UPLOAD_ROWS = 5000;
/** Older uploads are deleted. */
const UPLOADS_KEPT = 20;
const REQUESTS_AT_ONCE_MAX = 32;
const ATTEMPT_MS_MAX = 30_000;
const FIRST_SECOND = 1_700_000_000;

/** Kinds of requests with their percentages. */
const MIX = {
  batch: 20,
  lines: 5,
  metrics: 52,
  figures: 11,
  overview: 4,
  report: 1,
  upload: 2,
  badKey: 3,
  halfOpen: 2,
} as const;

type Kind = keyof typeof MIX;

const FIGURES = [
  "Summary",
  "Percentiles",
  "Heatmap",
  "Capacity",
  "Findings",
  "Distribution",
  "Failures",
  "Users",
  "Sources",
];
const OVERVIEWS = ["/Api/LoadTests", "/Api/Tags", "/metrics", "/openapi.json", "/health/ready"];
const FORMATS = ["csv", "xy", "default"];
const CODINGS = ["gzip", "zstd", "br", "identity"];

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/**
 * Sends reads of all kinds, live batches, line protocol, uploads, deletions and malformed requests to one
 * server at a fixed rate. The server's load tests `live` and `lines` must exist.
 */
export class MixedLoad {
  /** Completed requests by kind. */
  readonly answered: Record<Kind, number>;
  /** Response times of completed requests since `takeTimes`. */
  #tookMs: number[] = [];
  readonly #server: ServedStore;
  readonly #random: () => number;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #underWay = new Set<Promise<void>>();
  readonly #turns: readonly Kind[];
  readonly #beganAtMs = performance.now();
  readonly #uploads: string[] = [];
  readonly #senders: Readonly<Record<Kind, () => Promise<void>>> = {
    batch: () => this.#sendBatch(),
    lines: () => this.#sendLines(),
    metrics: () => this.#readMetrics(),
    figures: () => this.#read(`/Api/LoadTests/${this.#anyLoadTest()}/${this.#one(FIGURES)}`),
    overview: () => this.#read(this.#one(OVERVIEWS)),
    report: () => this.#read("/Api/LoadTests/live/Report"),
    upload: () => this.#upload(),
    badKey: () =>
      this.#ask("/Api/LoadTests", [401, 429], { headers: { "X-Service-Auth": "tgk_x" } }),
    halfOpen: () => this.#leaveHalfOpen(),
  };
  #failure: unknown;
  #turn = 0;
  #lineWrites = 0;
  #uploadCount = 0;
  #batches = 0;

  constructor(server: ServedStore, random: () => number) {
    this.#server = server;
    this.#random = random;
    const kinds = Object.keys(MIX) as Kind[];
    this.answered = { ...MIX };
    for (const kind of kinds) this.answered[kind] = 0;
    this.#turns = spread(kinds);
  }

  /** Response times in milliseconds since the last call. */
  takeTimes(): readonly number[] {
    const taken = this.#tookMs;
    this.#tookMs = [];
    return taken;
  }

  /**
   * Sends `perSecond` requests a second for `durationMs`; fewer while 32 are in flight. Throws for the first
   * response with an unexpected status.
   */
  async run(perSecond: number, durationMs: number): Promise<void> {
    const beganAtMs = performance.now();
    const wanted = Math.floor((perSecond * durationMs) / 1000);
    for (let sent = 0; sent < wanted; sent++) {
      const dueAtMs = beganAtMs + (1000 * sent) / perSecond;
      if (dueAtMs > performance.now()) await setTimeout(dueAtMs - performance.now());
      while (this.#underWay.size >= REQUESTS_AT_ONCE_MAX) await Promise.race(this.#underWay);
      if (this.#failure !== undefined) throw this.#failure;
      if (performance.now() - beganAtMs > durationMs) break;
      this.#begin();
    }
  }

  /** Waits for all responses and compares what is stored with what was acknowledged. */
  async finish(): Promise<void> {
    await Promise.all(this.#underWay);
    this.#agent.destroy();
    if (this.#failure !== undefined) throw this.#failure;
    assert.equal(await this.#storedRequests("live", "/endpoint"), this.#batches * ENDPOINTS);
    assert.equal(await this.#storedRequests("lines", "/line"), this.#lineWrites * LINES);
    for (const id of this.#uploads) {
      assert.equal(await this.#storedRequests(id, "/row"), UPLOAD_ROWS);
    }
  }

  #begin(): void {
    const kind = this.#turns[this.#turn++ % this.#turns.length] as Kind;
    const beganAtMs = performance.now();
    const send = this.#senders[kind];
    const sending = send()
      .then(() => this.#note(kind, performance.now() - beganAtMs))
      .catch((error: unknown) => {
        this.#failure ??= error;
      })
      .finally(() => this.#underWay.delete(sending));
    this.#underWay.add(sending);
  }

  #note(kind: Kind, tookMs: number): void {
    this.answered[kind] += 1;
    this.#tookMs.push(tookMs);
  }

  async #sendBatch(): Promise<void> {
    const turn = this.#turn;
    const samples = Array.from({ length: ENDPOINTS }, (_, endpoint) =>
      sample(`/endpoint${endpoint}`, this.#second(), 1000 * (1 + (turn % 50))),
    );
    const about = { sourceId: `sender-${turn % SENDERS}`, sequence: turn };
    const { loadTestId: _, ...batch } = batchOf(samples, about);
    await this.#ask("/Api/LoadTests/live/Batches", [200], {
      method: "POST",
      headers: { "Content-Type": BATCH_MEDIA_TYPE },
      body: encodeBatch(batch),
    });
    this.#batches += 1;
  }

  async #sendLines(): Promise<void> {
    const turn = this.#turn;
    const lines = Array.from({ length: LINES }, (_, line) => {
      const nanos = `${this.#second()}${String(turn % 1_000_000).padStart(6, "0")}000`;
      return `http_req_duration,method=GET,name=/line${line},status=200 value=${turn % 90} ${nanos}`;
    });
    await this.#ask("/write?db=lines", [204], { method: "POST", body: lines.join("\n") });
    this.#lineWrites += 1;
  }

  async #upload(): Promise<void> {
    const id = `upload-${this.#uploadCount++}`;
    const rows = Array.from({ length: UPLOAD_ROWS }, (_, row) => {
      return `${1000 * FIRST_SECOND + 13 * row},${row % 500},/row${row % 7},true`;
    });
    const header = "timeStamp,elapsed,label,success";
    const body = [header, ...rows, ""].join("\n");
    // The same bytes can be uploaded again because each load test is another one.
    await this.#ask(`/Api/LoadTests/${id}/Results?file=results.jtl`, [200, 201], {
      method: "POST",
      body,
    });
    this.#uploads.push(id);
    if (this.#uploads.length <= UPLOADS_KEPT) return;
    const oldest = this.#uploads.shift();
    await this.#ask(`/Api/LoadTests/${oldest}`, [204, 404], { method: "DELETE" });
  }

  #readMetrics(): Promise<void> {
    const from = FIRST_SECOND + Math.floor(this.#random() * (this.#second() - FIRST_SECOND));
    const format = this.#one(FORMATS);
    const query = `loadTestId=${this.#anyLoadTest()}&filter=/&format=${format}&from=${from}`;
    return this.#read(`/Api/Metrics?${query}`);
  }

  #read(target: string): Promise<void> {
    // A load test may be deleted between its choice and the request.
    return this.#ask(target, target.includes("upload-") ? [200, 404] : [200], {
      headers: { "Accept-Encoding": this.#one(CODINGS) },
    });
  }

  /** Requests can be retried: the server may close a kept-alive connection just when it is used. */
  async #ask(target: string, statuses: readonly number[], sent: Sent = {}): Promise<void> {
    const agent = this.#random() < 0.5 ? this.#agent : false;
    const answer = await this.#attempt(target, sent, agent).catch((error: unknown) => {
      if (agent === false) throw error;
      return this.#attempt(target, sent, false);
    });
    const { status, problem } = answer;
    const asked = `${sent.method ?? "GET"} ${target}`;
    assert.ok(statuses.includes(status), `${asked}: status ${status} ${problem}`);
  }

  /** Resolves once the response is read; `problem` is the body of an error. */
  #attempt(
    target: string,
    { method = "GET", headers = {}, body }: Sent,
    agent: Agent | false,
  ): Promise<{ readonly status: number; readonly problem: string }> {
    return new Promise((resolve, reject) => {
      const { port, key } = this.#server;
      const fail = (cause: unknown): void =>
        reject(new Error(`${method} ${target}: ${String(cause)}`, { cause }));
      const sending = request({
        host: "127.0.0.1",
        port,
        path: target,
        method,
        agent,
        signal: AbortSignal.timeout(ATTEMPT_MS_MAX),
        headers: {
          "X-Service-Auth": key,
          ...(body === undefined ? {} : { "Content-Length": Buffer.byteLength(body) }),
          ...headers,
        },
      });
      sending.once("error", fail);
      sending.once("response", (answer) => {
        const status = answer.statusCode ?? 0;
        let problem = "";
        answer.on("data", (chunk: Buffer) => {
          if (status >= 400) problem += chunk.toString("latin1");
        });
        answer.once("error", fail);
        answer.once("end", () => resolve({ status, problem }));
      });
      sending.end(body);
    });
  }

  /** Sends part of a request and closes the connection. */
  #leaveHalfOpen(): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = connect(this.#server.port, "127.0.0.1", () => {
        socket.write("GET / HTTP/1.1\r\nHo", () => socket.destroy());
      });
      socket.once("error", reject);
      socket.once("close", () => resolve());
    });
  }

  /** Number of requests stored for the endpoints of a load test whose label contains this text. */
  async #storedRequests(loadTestId: string, filter: string): Promise<number> {
    const query = `loadTestId=${loadTestId}&filter=${filter}&format=csv`;
    const series = JSON.parse(await this.#server.text(`/Api/Metrics?${query}`)) as {
      readonly data: readonly (readonly string[])[];
    }[];
    const counts = series.flatMap(({ data }) => data.slice(1).map(([, , count]) => Number(count)));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /** The second that live senders report now. */
  #second(): number {
    return FIRST_SECOND + 1 + Math.floor((performance.now() - this.#beganAtMs) / 1000);
  }

  #anyLoadTest(): string {
    return this.#batches === 0 ? "lines" : this.#one(["live", ...this.#uploads]);
  }

  #one<Choice>(choices: readonly Choice[]): Choice {
    return choices[Math.floor(this.#random() * choices.length)] as Choice;
  }
}

/** Each kind as often as `MIX` says, evenly spread. */
function spread(kinds: readonly Kind[]): readonly Kind[] {
  return kinds
    .flatMap((kind) =>
      Array.from({ length: MIX[kind] }, (_, turn) => ({ kind, at: (turn + 0.5) / MIX[kind] })),
    )
    .toSorted((left, right) => left.at - right.at)
    .map(({ kind }) => kind);
}
