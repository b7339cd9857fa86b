import { gunzipSync } from "node:zlib";
import { afterEach, expect, test } from "vitest";
import { sample } from "../../test/support/batches.ts";
import { createTestServer, type TestServer } from "../../test/support/test-server.ts";
import { openMetrics } from "../query/read-metrics.ts";

const ADDRESS = "/Api/Metrics?loadTestId=run&filter=a&format=csv";
let world: TestServer & { opened: number };
afterEach(() => world.server.close());

/** A server that counts reads of metrics, not requests for them. */
async function serve(settings = {}): Promise<void> {
  let store: TestServer["store"] | undefined;
  const made = await createTestServer({
    settings,
    samples: [sample("a", 10), sample("b", 10)],
    dependencies: {
      async openMetrics(query) {
        world.opened += 1;
        if (store === undefined) throw new Error("BUG: asked before the store is there");
        return openMetrics(store.points, query);
      },
    },
  });
  ({ store } = made);
  world = Object.assign(made, { opened: 0 });
}

function ask(url = ADDRESS, headers: Record<string, string> = {}) {
  return world.ask(url, { headers });
}

test("a repeated request gets the same bytes without reading the store", async () => {
  await serve();
  const [first, second] = [await ask(), await ask()];
  expect(world.opened).toBe(1);
  expect(second.rawPayload).toEqual(first.rawPayload);
  for (const name of ["etag", "content-type", "cache-control", "content-length"]) {
    expect(second.headers[name]).toBe(first.headers[name]);
  }
  expect(second.headers["x-request-id"]).not.toBe(first.headers["x-request-id"]);
});

test("another format, filter, range or coding is read from the store", async () => {
  await serve();
  await ask();
  for (const url of [
    "/Api/Metrics?loadTestId=run&filter=a&format=xy",
    "/Api/Metrics?loadTestId=run&filter=b&format=csv",
    `${ADDRESS}&from=11`,
  ]) {
    await ask(url);
  }
  expect(world.opened).toBe(4);
  for (let time = 0; time < 2; time++) {
    const packed = await ask(ADDRESS, { "accept-encoding": "gzip" });
    expect(gunzipSync(packed.rawPayload)).toEqual((await ask()).rawPayload);
  }
  expect(world.opened).toBe(5);
});

test("nothing is cached without memory for it", async () => {
  await serve({ responseCacheBytesMax: 0 });
  await ask();
  await ask();
  expect(world.opened).toBe(2);
});
