/** T1: guessing keys reveals nothing, is slowed down and does not affect others. */

import { randomBytes } from "node:crypto";
import { expect, onTestFinished, test, vi } from "vitest";
import { createTestServer } from "../support/test-server.ts";

const GUESSES = 10_000;
const ADDRESS = "203.0.113.7";

const world = await createTestServer();

async function read(key: string | undefined, remoteAddress = ADDRESS) {
  const answer = await world.server.inject({
    url: "/Api/LoadTests",
    remoteAddress,
    headers: key === undefined ? {} : { "x-service-auth": key },
  });
  const { statusCode: status, headers, body } = answer;
  return { status, headers, body: body.replace(/urn:uuid:[0-9a-f-]+/, "") };
}

test("the first twenty wrong keys get the response of a missing one, and further ones 429", async () => {
  const address = "203.0.113.8";
  const missing = await read(undefined, address);
  expect(missing.status).toBe(401);
  for (const guess of Array.from({ length: 20 }, (_, n) => `tgk_${n}`)) {
    expect(await read(guess, address)).toMatchObject({ status: 401, body: missing.body });
  }
  const limited = await read("tgk_21", address);
  expect(limited.status).toBe(429);
  expect(Number(limited.headers["retry-after"])).toBeGreaterThan(50);
  expect(JSON.parse(limited.body)).toMatchObject({
    type: "urn:tachograph:error:too-many-failed-keys",
    detail: expect.stringContaining("failedKeysMax"),
  });
  // A valid key, requests without a key and other addresses are not affected.
  expect(await read(world.key, address)).toMatchObject({ status: 200 });
  expect(await read(undefined, address)).toMatchObject({ status: 401, body: missing.body });
  expect(await read("tgk_1", "203.0.113.9")).toMatchObject({ status: 401 });
});

test("none of ten thousand guesses is accepted, and a valid key from their address gets a response at once", async () => {
  // All guesses count as within one minute, however long they take.
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const statuses = new Map<number, number>();
  const waitsMs: number[] = [];
  for (let guess = 0; guess < GUESSES; guess++) {
    // Every other one has the length and alphabet of a key.
    const text = randomBytes(guess % 2 === 0 ? 18 : 9).toString("hex");
    const { status } = await read(`tgk_${text}`);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (guess % 100 !== 0) continue;
    const startedAt = process.hrtime.bigint();
    expect((await read(world.key)).status).toBe(200);
    waitsMs.push(Number(process.hrtime.bigint() - startedAt) / 1e6);
  }
  expect(Object.fromEntries(statuses)).toEqual({ 401: 20, 429: GUESSES - 20 });
  const median = waitsMs.toSorted((a, b) => a - b)[Math.floor(waitsMs.length / 2)];
  // The server does not wait; a busy machine takes some tens of milliseconds.
  expect(median).toBeLessThan(500);
  const ofGuesses = world.logged.filter(({ address }) => address === ADDRESS);
  const warned = ofGuesses.filter(({ level }) => level === "warn").map(({ event }) => event);
  expect(warned).toEqual([...Array.from({ length: 20 }, () => "auth_failed"), "auth_limited"]);
});
