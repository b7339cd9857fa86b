import { expect, test } from "vitest";
import { measuresIn } from "../../../test/support/measures.ts";
import { openMemoryStore } from "../../../test/support/memory-store/memory-store.ts";
import { UserError } from "../../model/errors.ts";
import type { Store } from "../../store/store.ts";
import { OtlpMemories } from "./memories.ts";
import { createOtlpWriter } from "./write-otlp.ts";

const NANOS = 1_000_000_000n;
const START = 1000n * NANOS;

/** One export of a process that has done this number of jobs since its start. */
function exported(host: string, second: number, jobs: number): Uint8Array {
  const timeUnixNano = String(START + BigInt(second) * NANOS);
  const dataPoints = [{ startTimeUnixNano: String(START), timeUnixNano, asInt: String(jobs) }];
  const metrics = [
    { name: "jobs", sum: { isMonotonic: true, aggregationTemporality: 2, dataPoints } },
  ];
  const attributes = [{ key: "host.name", value: { stringValue: host } }];
  const body = { resourceMetrics: [{ resource: { attributes }, scopeMetrics: [{ metrics }] }] };
  return Buffer.from(JSON.stringify(body));
}

function openServer(store: Store) {
  const memories = new OtlpMemories();
  const write = createOtlpWriter({ store, memories, project: undefined, now: Date.now });
  return (body: Uint8Array) =>
    write({ target: { loadTestId: "run" }, signal: "metrics", form: "json", body });
}

async function totalIn(store: Store): Promise<number> {
  const snapshot = await store.points.snapshot("run");
  if (snapshot === undefined) throw new Error("there is no run");
  const { sums } = await measuresIn(snapshot);
  return sums.sumNanos.reduce((sum, nanos) => sum + nanos, 0) / 1e9;
}

test("totals that come by several servers on a database count once", async () => {
  const store = openMemoryStore();
  const [one, other] = [openServer(store), openServer(store)];
  await one(exported("a", 1, 10));
  await other(exported("a", 2, 20));
  await one(exported("a", 3, 30));
  await other(exported("b", 4, 7));
  // Two processes at once.
  await Promise.all([one(exported("a", 5, 50)), other(exported("b", 5, 8))]);
  await Promise.all([other(exported("a", 6, 60)), one(exported("b", 6, 18))]);
  await one(exported("a", 7, 61));
  await other(exported("a", 8, 62));
  // What they had done before the first export of each is not known to be of the run.
  expect(await totalIn(store)).toBe(62 - 10 + (18 - 7));
});

const refuse = (): Promise<never> => Promise.reject(new UserError("storage-full", "full"));

test.each([false, true])(
  "what is stored although its totals could not be kept counts once (sent again: %s)",
  async (isSentAgain) => {
    const store = openMemoryStore();
    let isFull = false;
    const senderState: Store["senderState"] = (id) => {
      const state = store.senderState(id);
      return { ...state, replace: (...given) => (isFull ? refuse() : state.replace(...given)) };
    };
    const one = openServer({ ...store, senderState });
    await one(exported("a", 1, 10));
    isFull = true;
    await expect(one(exported("a", 2, 30))).rejects.toThrow("full");
    isFull = false;
    if (isSentAgain) await one(exported("a", 2, 30));
    await (isSentAgain ? openServer(store) : one)(exported("a", 3, 60));
    expect(await totalIn(store)).toBe(60 - 10);
  },
);
