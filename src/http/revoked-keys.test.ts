/** What becomes of requests under way when their key is revoked. */

import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { sample } from "../../test/support/batches.ts";
import { createTestServer } from "../../test/support/test-server.ts";
import type { Scope } from "../model/access-key.ts";

const world = await createTestServer({ samples: [sample("a", 1)] });
let base = "";
beforeAll(async () => {
  base = await world.server.listen();
});
afterAll(() => world.server.close());

// Keys are looked at again every 3 s.
beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
afterEach(() => void vi.useRealTimers());
const lookAgain = () => vi.advanceTimersByTimeAsync(3000);

async function makeKey(name: string, ...scopes: readonly Scope[]): Promise<string> {
  return world.ring.create({ name, scopes, expiresAtMs: undefined });
}

const HEAD = "timeStamp,elapsed,label,success\n1700000000000,5,a,true\n";
const REST = "1700000001000,5,a,true\n";

/** Sends a part of a body, and the rest if no answer comes before; returns the status. Calls `onStarted` in between. */
async function sendSlowly(
  key: string,
  path: string,
  { onStarted, waitMs }: { readonly onStarted?: () => Promise<void>; readonly waitMs: number },
) {
  const headers = { "x-service-auth": key };
  const sending = request(`${base}${path}`, { method: "POST", headers });
  const answered = once(sending, "response") as Promise<[IncomingMessage]>;
  sending.write(HEAD);
  await delay(500);
  await onStarted?.();
  await lookAgain();
  await Promise.race([answered, delay(waitMs)]);
  sending.end(REST);
  const [answer] = await answered;
  answer.resume();
  return answer.statusCode;
}

test.each([
  ["results", "/Api/LoadTests/late/Results"],
  ["a file", "/Api/LoadTests/run/Files?name=late.txt"],
])("of %s that a revoked key was sending, nothing becomes visible", async (name, path) => {
  const key = await makeKey(name, "write");
  const onStarted = () => world.ring.revoke(name);
  expect(await sendSlowly(key, path, { onStarted, waitMs: 30_000 })).toBe(401);
  expect((await world.ask("/Api/LoadTests/late")).statusCode).toBe(404);
  expect((await world.ask("/Api/LoadTests/run/Files")).body).not.toContain("late.txt");
});

test("a download ends within seconds after its key is revoked", async () => {
  const file = world.store.files.begin({ loadTestId: "run", id: "large", name: "large" });
  for (let at = 0; at < 32; at++) await file.write(randomBytes(2 ** 20));
  await file.finish();
  const key = await makeKey("reader", "read");
  const headers = { "x-service-auth": key };
  const { status, body } = await fetch(`${base}/Api/LoadTests/run/Files/large`, { headers });
  expect(status).toBe(200);
  await world.ring.revoke("reader");
  await lookAgain();
  await expect(Array.fromAsync(body as unknown as AsyncIterable<Uint8Array>)).rejects.toThrow(
    "terminated",
  );
});

test("a request of a key that is valid may take its time", async () => {
  const key = await makeKey("slow", "write");
  const path = "/Api/LoadTests/slow/Results";
  expect(await sendSlowly(key, path, { waitMs: 500 })).toBe(201);
});
