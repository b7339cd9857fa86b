import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import { BATCH_MEDIA_TYPE, encodeBatch } from "../../../src/wire/batch.ts";
import type { PointBatch } from "../../../src/store/store.ts";
import { batchOf, sample } from "../../support/batches.ts";
import type { ServerAccess } from "./served-store.ts";

const NAME = "judged";
const THRESHOLDS = { thresholds: [{ failIf: ["errors > 50% over 5s for 3 windows"] }] };
const SECONDS = 40;
/** A notice of a server that was killed is taken over after two minutes, and judging looks every half a minute. */
const NOTICES_WITHIN_MS = 240_000;
const EVENTS = ["thresholds-broken", "thresholds-failed"] as const;

/** Returns how often a notice of a load test came. */
type CountNotices = (event: string, loadTestId: string) => number;

/** Load tests that break a threshold over windows while they run, and fail it in the end: two notices each. */
export class JudgedRuns {
  readonly #server: ServerAccess;
  readonly #ids: string[] = [];
  /** The first second after the data, by id, of those that run. */
  readonly #untils = new Map<string, number>();

  constructor(server: ServerAccess) {
    this.#server = server;
  }

  /** Keeps the thresholds. */
  async begin(): Promise<void> {
    await this.#send("PUT", `/Api/Thresholds/${NAME}`, THRESHOLDS);
  }

  /** Adds one that runs, and whose last half fails. */
  async add(): Promise<void> {
    const id = `${NAME}-${this.#ids.length}`;
    await this.#send("POST", "/Api/LoadTests", { id, name: NAME });
    const until = Math.floor(Date.now() / 1000);
    const samples = Array.from({ length: SECONDS }, (_, at) => {
      return { ...sample("GET /", until - SECONDS + at), failed: at >= SECONDS / 2 };
    });
    await this.#post(id, batchOf(samples));
    this.#ids.push(id);
    this.#untils.set(id, until);
  }

  /** Adds a second to each that runs: without new data, one can seem to be over after the clock was set. Resolves when the windows of all were found broken. */
  async broken(count: CountNotices): Promise<void> {
    for (const [id, until] of this.#untils)
      await this.#post(id, batchOf([sample("GET /", until)], { sequence: 1 }));
    await this.#arrived(count, ["thresholds-broken"]);
  }

  async finish(): Promise<void> {
    for (const id of this.#ids) {
      await this.#send("PATCH", `/Api/LoadTests/${id}`, { finished: true });
    }
    this.#untils.clear();
  }

  /** Requires that each notice came and each has its one tag. Returns how many came twice. */
  async check(count: CountNotices): Promise<number> {
    await this.#arrived(count, EVENTS);
    for (const id of this.#ids) {
      const { tags } = JSON.parse(await this.#server.text(`/Api/LoadTests/${id}`)) as {
        readonly tags: readonly string[];
      };
      assert.deepEqual(tags, ["thresholds-failed"], id);
    }
    const counts = this.#ids.flatMap((id) => EVENTS.map((event) => count(event, id)));
    assert.ok(Math.max(...counts) <= 2, "a notice comes twice at most");
    return counts.filter((each) => each === 2).length;
  }

  get count(): number {
    return this.#ids.length;
  }

  async #arrived(count: CountNotices, events: readonly (typeof EVENTS)[number][]): Promise<void> {
    const giveUpAtMs = performance.now() + NOTICES_WITHIN_MS;
    for (;;) {
      const missing = this.#ids.flatMap((id) =>
        events.filter((event) => count(event, id) === 0).map((event) => `${event} of ${id}`),
      );
      if (missing.length === 0) return;
      assert.ok(performance.now() < giveUpAtMs, `lost: ${missing.join(", ")}`);
      await setTimeout(100);
    }
  }

  #post(id: string, sent: PointBatch): Promise<void> {
    const { loadTestId: _, ...batch } = sent;
    return this.#send("POST", `/Api/LoadTests/${id}/Batches`, encodeBatch(batch));
  }

  /** Repeats it until it is answered. */
  async #send(method: string, path: string, body: object | Uint8Array<ArrayBuffer>): Promise<void> {
    const isBytes = body instanceof Uint8Array;
    const type = isBytes ? BATCH_MEDIA_TYPE : "application/json";
    const payload = isBytes ? body : JSON.stringify(body);
    for (;;) {
      const request = { method, body: payload, headers: { "Content-Type": type } };
      const answer = await this.#server.fetch(path, request).catch(() => undefined);
      // A load test was created by an attempt whose answer was lost.
      if (answer?.ok === true || answer?.status === 409) return;
      assert.equal(answer?.status, undefined, `${path}: ${await answer?.text()}`);
      await setTimeout(200);
    }
  }
}
