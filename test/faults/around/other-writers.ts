import assert from "node:assert/strict";
import { NumberedWrites, PROTOCOLS, requestsIn } from "./numbered-writes.ts";
import type { ServerAccess } from "./served-store.ts";

const FILES = "/Api/LoadTests/lines/Files";
const ROWS = 500;
/** How many of the last uploaded and deleted load tests are checked after each kill. */
const LOOKED_AT = 5;
const PAUSE_MS = 10;
const JTL = ["timeStamp,elapsed,label,success"]
  .concat(Array.from({ length: ROWS }, (_, row) => `${1_700_000_000_000 + 7 * row},5,/file,true`))
  .join("\n");

/** More than a store writes at once. */
const ATTACHED = "a dashboard of 1.5 MB; ".repeat(65_000);
const ATTACHING_PAUSE_MS = 50;

const NONE = "none";

/** An uploaded load test; `rows` is `undefined` while a request is in flight. */
interface Uploaded {
  readonly id: string;
  rows: 0 | typeof ROWS | undefined;
}

/**
 * Writes line protocol, spans and remote writes, uploads and deletes load tests, attaches and removes files, and exports,
 * beside live senders. Repeats requests without a response. The load test `lines` must exist.
 */
export class OtherWriters {
  readonly #server: ServerAccess;
  readonly #numbered: readonly NumberedWrites[];
  readonly #uploads: Uploaded[] = [];
  #deletions = 0;
  #exports = 0;
  #attachments = 0;
  /** Id of the attachment, or `NONE`; `undefined` while a request is in flight. */
  #attached: string | undefined = NONE;
  #isStopping = false;
  #writing: Promise<unknown> | undefined;

  constructor(server: ServerAccess) {
    this.#server = server;
    this.#numbered = PROTOCOLS.map((protocol) => new NumberedWrites(server, protocol));
  }

  /** What was acknowledged. */
  get figures(): Readonly<Record<string, number>> {
    return {
      ...Object.fromEntries(this.#numbered.map(({ figure }) => figure)),
      uploads: this.#uploads.length,
      deletions: this.#deletions,
      attachments: this.#attachments,
      exports: this.#exports,
    };
  }

  /** Writes by each protocol once, so that no kill finds one of them unused. */
  async writeFirst(): Promise<void> {
    for (const each of this.#numbered) await each.write();
  }

  begin(): void {
    this.#isStopping = false;
    this.#writing = Promise.all([
      ...this.#numbered.map((each) => this.#repeat(() => each.write())),
      this.#repeat(() => this.#uploadAndDelete()),
      this.#repeat(() => this.#attachAndRemove()),
      this.#repeat(() => this.#export()),
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
    for (const each of this.#numbered) await each.check();
    for (const { id, rows } of this.#uploads.slice(-LOOKED_AT)) {
      const found = await requestsIn(this.#server, id);
      const expected: readonly number[] = rows === undefined ? [0, ROWS] : [rows];
      assert.ok(expected.includes(found), `${id}: ${found} rows, want ${expected.join(" or ")}`);
    }
    const attached = await this.#attachmentIn();
    if (this.#attached !== undefined) assert.equal(attached, this.#attached, "the attachment");
    this.#attached = attached;
  }

  async #repeat(write: () => Promise<void>): Promise<void> {
    while (!this.#isStopping) {
      // The server may be dead: the request is repeated after the next start.
      await write().catch(ignoreUnanswered);
    }
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

  async #attachAndRemove(): Promise<void> {
    const attached = (this.#attached ??= await this.#attachmentIn());
    this.#attached = undefined;
    if (attached === NONE) {
      const request = { method: "POST", body: ATTACHED };
      const answer = await this.#server.fetch(`${FILES}?name=a.png`, request);
      const text = await answer.text();
      assert.equal(answer.status, 201, text);
      this.#attached = (JSON.parse(text) as { readonly id: string }).id;
      this.#attachments += 1;
    } else {
      const answer = await this.#server.fetch(`${FILES}/${attached}`, { method: "DELETE" });
      assert.equal(answer.status, 204, await answer.text());
      this.#attached = NONE;
    }
    await new Promise((resolve) => setTimeout(resolve, ATTACHING_PAUSE_MS));
  }

  /** Its id, or `NONE`. Requires that it is whole. */
  async #attachmentIn(): Promise<string> {
    const { files } = JSON.parse(await this.#server.text(FILES)) as {
      readonly files: readonly { readonly id: string }[];
    };
    assert.ok(files.length <= 1, `${files.length} attachments`);
    const [only] = files;
    if (only === undefined) return NONE;
    assert.equal(await this.#server.text(`${FILES}/${only.id}`), ATTACHED, "the bytes attached");
    return only.id;
  }

  /** A file that ends is whole. */
  async #export(): Promise<void> {
    const answer = await this.#server.fetch("/Api/LoadTests/lines/Export");
    const bytes = Buffer.from(await answer.arrayBuffer());
    assert.equal(answer.status, 200, bytes.toString("latin1"));
    const ends = [bytes.subarray(0, 4), bytes.subarray(-4)].map((each) => each.toString("latin1"));
    assert.deepEqual(ends, ["PAR1", "PAR1"]);
    this.#exports += 1;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/** A kill breaks connections; rethrows every other error. */
function ignoreUnanswered(error: unknown): void {
  if (!(error instanceof TypeError)) throw error;
}
