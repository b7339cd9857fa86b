import { gunzipSync } from "node:zlib";
import { afterEach, expect, test } from "vitest";
import { batchOf, sample } from "../../test/support/batches.ts";
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

function ask(url = ADDRESS, headers: Record<string, string> = {}, method: "GET" | "HEAD" = "GET") {
  return world.server.inject({
    method,
    url,
    headers: { "x-service-auth": world.key, ...headers },
  });
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

test("data that arrive meanwhile are in the next response", async () => {
  await serve();
  const before = await ask();
  await world.store.points.append(batchOf([sample("a", 11)], { sequence: 1 }));
  const after = await ask();
  expect(world.opened).toBe(2);
  expect(after.body).not.toBe(before.body);
  expect(after.headers.etag).not.toBe(before.headers.etag);
});

test("a deleted load test is not served from the cache", async () => {
  await serve();
  await ask();
  await world.store.loadTests.delete("run");
  expect((await ask()).statusCode).toBe(404);
});

test("a client with the current response gets 304, and a HEAD request gets the head", async () => {
  await serve();
  const { headers } = await ask();
  const known = await ask(ADDRESS, { "if-none-match": String(headers.etag) });
  const head = await ask(ADDRESS, {}, "HEAD");
  expect([known.statusCode, known.body, head.statusCode, head.body]).toEqual([304, "", 200, ""]);
  expect(head.headers.etag).toBe(headers.etag);
  expect(world.opened).toBe(1);
});

test("without a key, nothing is served from the cache", async () => {
  await serve();
  await ask();
  expect((await ask(ADDRESS, { "x-service-auth": "tgk_no" })).statusCode).toBe(401);
});

test("nothing is cached without memory for it", async () => {
  await serve({ answerCacheBytesMax: 0 });
  await ask();
  await ask();
  expect(world.opened).toBe(2);
});
