import { expect, test } from "vitest";
import { measuresIn } from "../../../test/support/measures.ts";
import { openMemoryStore } from "../../../test/support/memory-store/memory-store.ts";
import { OtlpMemories } from "./memories.ts";
import { createOtlpWriter } from "./write-otlp.ts";

const NANOS = 1_000_000_000n;
const START = 1000n * NANOS;

/** One export of a process that has done so many jobs by then. */
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

test("totals that come by several servers on a database count once", async () => {
  const store = openMemoryStore();
  const [one, other] = [0, 1].map(() => {
    const memories = new OtlpMemories();
    const write = createOtlpWriter({ store, memories, project: undefined, now: Date.now });
    return (body: Uint8Array) =>
      write({ target: { loadTestId: "run" }, signal: "metrics", form: "json", body });
  });
  if (one === undefined || other === undefined) throw new Error("BUG: there are two");
  await one(exported("a", 1, 10));
  await other(exported("a", 2, 20));
  await one(exported("a", 3, 30));
  await other(exported("b", 4, 7));
  // Two processes at once.
  await Promise.all([one(exported("a", 5, 50)), other(exported("b", 5, 8))]);
  await Promise.all([other(exported("a", 6, 60)), one(exported("b", 6, 18))]);
  await one(exported("a", 7, 61));
  await other(exported("a", 8, 62));
  const snapshot = await store.points.snapshot("run");
  if (snapshot === undefined) throw new Error("there is no run");
  const { sums } = await measuresIn(snapshot);
  const total = sums.sumNanos.reduce((sum, nanos) => sum + nanos, 0) / 1e9;
  // What they had done before the first export of each is not known to be of the run.
  expect(total).toBe(62 - 10 + (18 - 7));
});
