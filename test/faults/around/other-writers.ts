import assert from "node:assert/strict";
import type { ServedStore } from "./served-store.ts";

const LINES = 3;
const ROWS = 500;
/** How many of the last uploaded and deleted load tests are checked after each kill. */
const LOOKED_AT = 5;
const PAUSE_MS = 10;
const JTL = ["timeStamp,elapsed,label,success"]
  .concat(Array.from({ length: ROWS }, (_, row) => `${1_700_000_000_000 + 7 * row},5,/file,true`))
  .join("\n");

/** An uploaded load test; `rows` is `undefined` while a request is in flight. */
interface Uploaded {
  readonly id: string;
  rows: 0 | typeof ROWS | undefined;
}

/**
 * Writes line protocol, and uploads and deletes load tests, beside live senders. Repeats requests without a
 * response. The load test `lines` must exist.
 */
export class OtherWriters {
  readonly #server: ServedStore;
  readonly #uploads: Uploaded[] = [];
  #lineWrites = 0;
  #deletions = 0;
  #isStopping = false;
  #writing: Promise<unknown> | undefined;

  constructor(server: ServedStore) {
    this.#server = server;
  }

  /** Acknowledged line writes, uploads and deletions. */
  get figures(): Readonly<Record<string, number>> {
    const uploads = this.#uploads.length;
    return { "line writes": this.#lineWrites, uploads, deletions: this.#deletions };
  }

  begin(): void {
    this.#isStopping = false;
    this.#writing = Promise.all([
      this.#repeat(() => this.#writeLines()),
      this.#repeat(() => this.#uploadAndDelete()),
    ]);
  }

  /** Resolves when no request is in flight. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#writing;
  }

  /**
   * Requires everything that was acknowledged, and all or nothing of each request without a response.
   */
  async check(): Promise<void> {
    const lines = (await this.#requestsOf("lines")) ?? 0;
    const writes = lines / LINES;
    const isRight = writes === this.#lineWrites || writes === this.#lineWrites + 1;
    assert.ok(isRight, `${lines} requests of ${this.#lineWrites} line writes`);
    for (const { id, rows } of this.#uploads.slice(-LOOKED_AT)) {
      const found = (await this.#requestsOf(id)) ?? 0;
      const expected: readonly number[] = rows === undefined ? [0, ROWS] : [rows];
      assert.ok(expected.includes(found), `${id}: ${found} rows, want ${expected.join(" or ")}`);
    }
  }

  async #repeat(write: () => Promise<void>): Promise<void> {
    while (!this.#isStopping) {
      // The server may be dead: the request is repeated after the next start.
      await write().catch(ignoreUnanswered);
    }
  }

  async #writeLines(): Promise<void> {
    const nanos = BigInt(1_700_000_000 + this.#lineWrites) * 1_000_000_000n;
    const line = (at: number): string =>
      `http_req_duration,name=/line,status=200 value=5 ${nanos + BigInt(at)}`;
    const body = Array.from({ length: LINES }, (_, at) => line(at)).join("\n");
    const answer = await this.#server.fetch("/write?db=lines", { method: "POST", body });
    assert.equal(answer.status, 204, await answer.text());
    this.#lineWrites += 1;
  }

  async #uploadAndDelete(): Promise<void> {
    let upload = this.#uploads.at(-1);
    if (upload?.rows === 0) upload = undefined;
    if (upload === undefined) {
      upload = { id: `upload-${this.#uploads.length}`, rows: undefined };
      this.#uploads.push(upload);
    }
    const { id } = upload;
    upload.rows = undefined;
    const uploaded = await this.#server.fetch(`/Api/LoadTests/${id}/Results?file=a.jtl`, {
      method: "POST",
      body: JTL,
    });
    assert.ok([200, 201].includes(uploaded.status), await uploaded.text());
    upload.rows = ROWS;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    upload.rows = undefined;
    const deleted = await this.#server.fetch(`/Api/LoadTests/${id}`, { method: "DELETE" });
    assert.equal(deleted.status, 204, await deleted.text());
    upload.rows = 0;
    this.#deletions += 1;
  }

  /** `undefined` if there is no such load test. */
  async #requestsOf(loadTestId: string): Promise<number | undefined> {
    const answer = await this.#server.fetch(`/Api/LoadTests/${loadTestId}/Summary`);
    const text = await answer.text();
    if (answer.status === 404) return undefined;
    assert.equal(answer.status, 200, text);
    return (JSON.parse(text) as { readonly overall: { readonly count: number } }).overall.count;
  }
}

/** A kill breaks connections; rethrows every other error. */
function ignoreUnanswered(error: unknown): void {
  if (!(error instanceof TypeError)) throw error;
}
