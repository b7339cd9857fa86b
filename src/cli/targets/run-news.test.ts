import { setTimeout as delay } from "node:timers/promises";
import { afterEach, expect, test, vi } from "vitest";
import { batchOf, sample } from "../../../test/support/batches.ts";
import { createTestServer } from "../../../test/support/test-server.ts";
import { LiveStreams } from "../../http/live-streams.ts";
import { openServerApi } from "../../remote/server-api.ts";
import { ServerCalls } from "../../remote/server-calls.ts";
import { RunNews } from "./run-news.ts";

const START = 1_700_000_000;

const ended = new AbortController();
afterEach(() => ended.abort());

test("a run is requested once, then followed by the stream, and requested again once that has ended", async () => {
  const streams = new LiveStreams(2, 20);
  const world = await createTestServer({
    samples: [sample("GET /", START)],
    live: { streams, limitsOf: () => [], now: Date.now },
    settings: { drainMs: 1000 },
  });
  const url = await world.server.listen();
  const paths: string[] = [];
  let laterMs = 0;
  const calls = new ServerCalls({
    url,
    key: world.key,
    fetch(input, request) {
      paths.push(new Request(input).url.replace(`${url}/Api/LoadTests/`, ""));
      return fetch(input, request);
    },
    wait: () => delay(10),
    clockMs: () => performance.now(),
    random: () => 0,
    patienceMs: () => 0,
    warn() {},
  });
  const api = openServerApi(calls);
  const now = (): number => Date.now() + laterMs;
  const dependencies = { api, isServed: true, now, interrupted: ended.signal };
  expect(await new RunNews({ ...dependencies, id: "absent" }).read()).toBeUndefined();
  const news = new RunNews({ ...dependencies, id: "run" });
  expect(await news.read()).toMatchObject({ until: START });
  await news.wait(20_000);
  await world.store.points.append(batchOf([sample("GET /", START + 7)], { sequence: 1 }));
  await news.wait(20_000);
  expect(await news.read()).toMatchObject({ until: START + 7 });
  expect(paths).toEqual(["absent", "run", "run/Events/Stream"]);
  // A stream that is silent may be broken.
  laterMs = 3000;
  expect(await news.read()).toMatchObject({ until: START + 7 });
  expect(paths).toHaveLength(4);
  ended.abort();
  await vi.waitFor(() => expect(streams.areAnyOpen).toBe(false));
  streams.close();
  await world.server.close();
});
