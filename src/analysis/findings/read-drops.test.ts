import { expect, test } from "vitest";
import { firstOf } from "../../../test/support/anomalies.ts";
import { batchOf, sample } from "../../../test/support/batches.ts";
import { ALL_ENDPOINTS } from "../../series/endpoint-selection.ts";
import { readFindings } from "./read-findings.ts";
import { memoryStoreWith } from "../../../test/support/stored-runs.ts";

const START = 1_700_000_000;

/** 300 s of 20 requests/s, and of 2 in 20 s of them; `users` are reported by second. */
async function dropWith(users: (second: number) => number | undefined) {
  const seconds = Array.from({ length: 300 }, (_, second) => second);
  const samples = seconds.flatMap((second) =>
    Array.from({ length: second >= 200 && second < 220 ? 2 : 20 }, () =>
      sample("home", START + second),
    ),
  );
  const reported = seconds.filter((second) => users(second) !== undefined);
  const counts = {
    generator: new Uint32Array(reported.length),
    second: Uint32Array.from(reported, (second) => START + second),
    active: Float64Array.from(reported, (second) => users(second) ?? 0),
    started: new Float64Array(reported.length),
    ended: new Float64Array(reported.length),
  };
  const store = await memoryStoreWith({ ...batchOf(samples), users: { generators: [""], counts } });
  const query = { loadTestId: "run", selection: ALL_ENDPOINTS, range: undefined };
  return firstOf(await readFindings(store.points, query), "drop");
}

test("a drop in throughput while users remain active is found", async () => {
  expect(await dropWith(() => 10)).toEqual({
    kind: "drop",
    from: START + 200,
    until: START + 219,
    reqPerSecBefore: 20,
    reqPerSec: 2,
    users: 10,
  });
});

test.each([
  ["users leave", (second: number) => (second >= 195 && second < 220 ? 1 : 10)],
  ["users are not known meanwhile", (second: number) => (second < 190 ? 10 : undefined)],
  ["there is one user", () => 1],
])("it is none where %s", async (_, users) => {
  expect(await dropWith(users)).toBeUndefined();
});
