/** Complete files over a network that loses, repeats, delays and reorders. */

import { expect, test } from "vitest";
import { stored } from "../support/batches.ts";
import { randomFrom } from "../support/dense-points.ts";
import { HEADER, importWhole, ROWS } from "../support/follow.ts";
import { createTestServer } from "../support/test-server.ts";
import { openRemoteTarget } from "../../src/remote/remote-target.ts";
import { ServerCalls } from "../../src/remote/server-calls.ts";
import { openMemoryStore } from "../support/memory-store/memory-store.ts";
import { BadNetwork } from "./bad-network.ts";

const RUNS = 30;

test("a file is stored once, is recognised when repeated, and replaces its beginning", async () => {
  const world = await createTestServer();
  const key = await world.makeKey("write");
  const whole = Buffer.from(HEADER + ROWS.join(""));
  const beginning = Buffer.from(HEADER + ROWS.slice(0, 15).join(""));
  const plain = openMemoryStore();
  await importWhole(plain, whole);
  const expected = await stored(plain);
  for (let run = 0; run < RUNS; run++) {
    await world.store.loadTests.delete("run");
    const random = randomFrom(run);
    const network = new BadNetwork(world, random);
    const calls = new ServerCalls({
      url: "http://server",
      key,
      fetch: network.fetch,
      wait: async () => {},
      clockMs: () => 0,
      random,
      patienceMs: () => Infinity,
      warn: () => undefined,
    });
    const target = openRemoteTarget(calls);
    const imported = [];
    for (const bytes of [beginning, whole, whole]) {
      imported.push((await importWhole(target, bytes)).alreadyImported);
      await network.letAllThrough();
    }
    expect(imported).toEqual([false, false, true]);
    expect(await stored(world.store)).toEqual(expected);
  }
  await world.server.close();
}, 60_000);
