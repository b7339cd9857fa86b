import { setTimeout as delay } from "node:timers/promises";
import { afterEach, expect, test, vi } from "vitest";
import { openMetrics } from "../../src/query/read-metrics.ts";
import { sample } from "../support/batches.ts";
import { createTestServer } from "../support/test-server.ts";

afterEach(() => void vi.useRealTimers());

const METRICS = "/Api/Metrics?loadTestId=run&filter=";

test("two responses about a long run are computed at once, and what is short does not wait for them", async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const begun: string[] = [];
  const world = await createTestServer({
    samples: [sample("a", 10), sample("b", 60_010)],
    dependencies: {
      async openMetrics(query) {
        const { selection, range } = query;
        begun.push(selection.by === "filter" ? selection.filter : "?");
        if (range === undefined) await released;
        return openMetrics(world.store.points, query);
      },
    },
  });
  const long = ["a", "b", "A", "B"].map((filter) => world.ask(METRICS + filter));
  await expect.poll(() => begun).toEqual(["a", "b"]);
  for (const short of [`${METRICS}c&from=10&until=20`, "/Api/LoadTests/run/Summary"]) {
    expect((await world.ask(short)).statusCode).toBe(200);
  }
  expect(begun).toEqual(["a", "b", "c"]);
  release();
  const bodies = (await Promise.all(long)).map(({ payload }) => JSON.parse(payload) as object[]);
  expect(bodies.map(({ length }) => length)).toEqual([1, 1, 0, 0]);
  expect(begun).toEqual(["a", "b", "c", "A", "B"]);
  await world.server.close();
});

test("a response that waits for its turn is not computed once its key is revoked", async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let begun = 0;
  const world = await createTestServer({
    samples: [sample("a", 10), sample("b", 60_010)],
    dependencies: {
      async openMetrics(query) {
        begun += 1;
        await released;
        return openMetrics(world.store.points, query);
      },
    },
  });
  const address = await world.server.listen();
  const others = ["a", "b"].map((filter) => world.ask(METRICS + filter));
  await expect.poll(() => begun).toBe(2);
  const key = await world.ring.create({ name: "short", scopes: ["read"], expiresAtMs: undefined });
  // Keys are looked at every 3 s.
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const waiting = fetch(`${address}${METRICS}A`, { headers: { "x-service-auth": key } });
  await delay(500);
  await world.ring.revoke("short");
  await vi.advanceTimersByTimeAsync(3000);
  await delay(500);
  release();
  expect((await waiting).status).toBe(401);
  await Promise.all(others);
  expect(begun).toBe(2);
  await world.server.close();
});
