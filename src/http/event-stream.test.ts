import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, expect, test, vi } from "vitest";
import { batchOf, sample } from "../../test/support/batches.ts";
import { loadTest } from "../../test/support/load-tests.ts";
import { createTestServer, type TestServer } from "../../test/support/test-server.ts";
import type { RunningLimitJson } from "../api/live.ts";
import { LiveStreams } from "./live-streams.ts";

const PATH = "/Api/LoadTests/run/Events/Stream";
const START = 1_700_000_000;

const LIMIT: RunningLimitJson = {
  failIf: "errors > 5% over 10s",
  figure: "errors",
  unit: "share",
  comparison: ">",
  bound: 0.05,
  fails: true,
  isBroken: true,
  measured: 0.07,
  window: { from: START, until: START + 10, requests: 100, failedRequests: 7 },
};

let streams = new LiveStreams(2, 20);
let limits: readonly RunningLimitJson[] = [];
let world: TestServer;
let base = "";
/** How far the clock of the server is ahead. */
let laterMs = 0;

async function open(max = 2): Promise<void> {
  [streams, limits, laterMs] = [new LiveStreams(max, 20), [], 0];
  world = await createTestServer({
    samples: [sample("GET /", START)],
    live: { streams, limitsOf: () => limits, now: () => Date.now() + laterMs },
    settings: { drainMs: 3000 },
  });
  base = await world.server.listen();
}

afterEach(async () => {
  streams.close();
  await world.server.close();
});

function ask(headers: Record<string, string> = {}, key = world.key): Promise<Response> {
  return fetch(`${base}${PATH}`, { headers: { "x-service-auth": key, ...headers } });
}

/** Collects what a stream sends. */
function collect({ body }: Response): {
  readonly text: () => string;
  readonly ended: Promise<unknown>;
} {
  let all = "";
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const chunk of body as unknown as AsyncIterable<Uint8Array>)
      all += decoder.decode(chunk);
  };
  return { text: () => all, ended: read().catch((error: unknown) => error) };
}

/** The data of an event, in order. */
function eventsIn(text: string, name: string): readonly unknown[] {
  const blocks = text.split("\n\n").filter((block) => block.includes(`event: ${name}\n`));
  return blocks.map((block) => JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? "") as unknown);
}

async function addSecond(sequence: number): Promise<void> {
  await world.store.points.append(batchOf([sample("GET /", START + sequence)], { sequence }));
}

test("a stream sends the load test as it is shown, then each change, thresholds, and the end", async () => {
  await open();
  const response = await ask();
  expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  expect(response.headers.get("cache-control")).toBe("no-store, no-transform");
  const sent = collect(response);
  await vi.waitFor(() => expect(eventsIn(sent.text(), "data")).toHaveLength(1), 30_000);
  await addSecond(1);
  await vi.waitFor(() => expect(eventsIn(sent.text(), "data")).toHaveLength(2), 30_000);
  const shown = await world.ask("/Api/LoadTests/run");
  expect(eventsIn(sent.text(), "data")[1]).toEqual(shown.json());
  limits = [LIMIT];
  const expected = [[], [LIMIT]];
  await vi.waitFor(() => expect(eventsIn(sent.text(), "thresholds")).toEqual(expected), 30_000);
  expect(eventsIn(sent.text(), "end")).toEqual([]);
  await world.store.loadTests.update("run", { finishedAtMs: Date.now() });
  await sent.ended;
  expect(sent.text().endsWith("event: end\nid: end\ndata: {}\n\n")).toBe(true);
});

test("a client that comes back gets only what it has not seen, and after the end nothing", async () => {
  await open();
  const first = collect(await ask());
  await vi.waitFor(() => expect(first.text()).toContain("\nid: "), 30_000);
  const id = /^id: (.*)$/m.exec(first.text())?.[1] ?? "";
  const again = collect(await ask({ "last-event-id": id }));
  // Thresholds have no id: those that it got before may be gone.
  const thresholds = "retry: 3000\n\nevent: thresholds\ndata: []\n\n";
  await vi.waitFor(() => expect(again.text()).toBe(thresholds), 30_000);
  await addSecond(1);
  await vi.waitFor(() => expect(eventsIn(again.text(), "data")).toHaveLength(1), 30_000);
  await world.store.loadTests.update("run", { finishedAtMs: Date.now() });
  await again.ended;
  expect((await ask({ "last-event-id": "end" })).status).toBe(204);
});

test("a load test that pauses for minutes is not over, one that is not marked as finished in the end is", async () => {
  await open();
  const sent = collect(await ask());
  await vi.waitFor(() => expect(eventsIn(sent.text(), "data")).toHaveLength(1), 30_000);
  laterMs = 4 * 60_000;
  await delay(100);
  expect(sent.text()).not.toContain("event: end");
  await addSecond(1);
  await vi.waitFor(() => expect(eventsIn(sent.text(), "data")).toHaveLength(2), 30_000);
  laterMs = 5 * 60_000;
  await sent.ended;
  expect(sent.text()).toContain("event: end");
});

test("what an earlier stream was told is not told again later", async () => {
  await open();
  const path = "/Api/LoadTests/later/Events/Stream";
  const askLater = () => fetch(`${base}${path}`, { headers: { "x-service-auth": world.key } });
  expect((await askLater()).status).toBe(404);
  await world.store.loadTests.create(loadTest("later"));
  await world.store.loadTests.update("later", { finishedAtMs: Date.now() });
  const ended = collect(await askLater());
  await ended.ended;
  expect(eventsIn(ended.text(), "data")).toMatchObject([{ tags: [] }]);
  await world.store.loadTests.update("later", { addedTags: ["seen"] });
  // The server has to notice that the stream is over.
  await delay(100);
  const again = collect(await askLater());
  await again.ended;
  expect(eventsIn(again.text(), "data")).toMatchObject([{ tags: ["seen"] }]);
});

test("a client that comes back gets what changed meanwhile, also without new requests", async () => {
  await open();
  const first = collect(await ask());
  await vi.waitFor(() => expect(first.text()).toContain("\nid: "), 30_000);
  const id = /^id: (.*)$/m.exec(first.text())?.[1] ?? "";
  await world.store.loadTests.update("run", { finishedAtMs: Date.now() });
  await first.ended;
  const again = collect(await ask({ "last-event-id": id }));
  await again.ended;
  expect(eventsIn(again.text(), "data")).toMatchObject([
    { finishedAt: expect.any(String) as string },
  ]);
});

test("a stream too many is refused, and a client that leaves makes room", async () => {
  await open(1);
  const leaving = new AbortController();
  const headers = { "x-service-auth": world.key };
  await fetch(`${base}${PATH}`, { headers, signal: leaving.signal });
  const refused = await ask();
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "30"]);
  expect(await refused.json()).toMatchObject({
    detail: expect.stringContaining("1 event streams are open") as string,
  });
  leaving.abort();
  await vi.waitFor(async () => {
    const next = await ask();
    expect(next.status).toBe(200);
  });
});

test("a key or link that has all streams gives way to others that have fewer, one by one", async () => {
  await open(4);
  const opens = { loadTestIds: ["run"], loadTestTimesMs: [loadTest().createdAtMs] };
  const common = { scopes: ["read"] as const, expiresAtMs: undefined };
  const link = await world.ring.create({ name: "link", ...common, ...opens });
  const ofLink: ReturnType<typeof collect>[] = [];
  for (let at = 0; at < 4; at++) ofLink.push(collect(await ask({}, link)));
  const over: number[] = [];
  for (const [at, { ended }] of ofLink.entries()) void ended.then(() => over.push(at));
  expect((await ask({}, link)).status).toBe(503);
  // Its newest ones end.
  expect((await ask()).status).toBe(200);
  await vi.waitFor(() => expect(over).toEqual([3]), 5000);
  expect(ofLink[3]?.text()).not.toContain("event: end");
  expect((await ask()).status).toBe(200);
  await vi.waitFor(() => expect(over).toEqual([3, 2]), 5000);
  // Both have the same number: neither takes a place from the other.
  for (const key of [world.key, link]) expect((await ask({}, key)).status).toBe(503);
  expect((await ask({}, await world.makeKey("read"))).status).toBe(200);
});

test("a revoked key ends its stream within seconds", async () => {
  await open();
  const key = await world.ring.create({ name: "short", scopes: ["read"], expiresAtMs: undefined });
  const sent = collect(await ask({}, key));
  await world.ring.revoke("short");
  const begun = performance.now();
  await sent.ended;
  expect(performance.now() - begun).toBeLessThan(5000);
  expect(sent.text()).not.toContain("event: end");
});

test("a server that shuts down ends its streams, so that it need not wait", async () => {
  await open();
  const sent = collect(await ask());
  await vi.waitFor(() => expect(sent.text()).toContain("event: data"), 30_000);
  const begun = performance.now();
  streams.close();
  await world.server.close();
  await sent.ended;
  expect(performance.now() - begun).toBeLessThan(1500);
  expect((await world.ask(PATH)).statusCode).toBe(503);
});

test("a client that does not read gets the newest state later, not each that it missed", async () => {
  await open();
  let held: Socket | undefined;
  world.server.node.once("connection", (each: Socket) => (held = each));
  const { port } = new URL(base);
  const socket = connect(Number(port), "127.0.0.1");
  socket.pause();
  socket.write(`GET ${PATH} HTTP/1.1\r\nHost: localhost\r\nX-Service-Auth: ${world.key}\r\n\r\n`);
  await delay(50);
  for (let at = 0; at < 40; at++) {
    // Each state has a megabyte.
    limits = [{ ...LIMIT, failIf: "x".repeat(1_000_000) + String(at) }];
    await delay(25);
  }
  expect(held?.bytesWritten).toBeGreaterThan(1_000_000);
  expect(held?.bytesWritten).toBeLessThan(12_000_000);
  expect(held?.writableLength).toBeLessThan(2_500_000);
  socket.destroy();
});

test("other load tests, keys and projects see nothing", async () => {
  await open();
  const { statusCode } = await world.ask("/Api/LoadTests/other/Events/Stream");
  expect(statusCode).toBe(404);
  expect((await ask({}, "tgk_wrong")).status).toBe(401);
  const foreign = await world.ring.create({
    name: "web",
    scopes: ["read"],
    expiresAtMs: undefined,
    project: "web",
  });
  expect((await ask({}, foreign)).status).toBe(404);
  expect((await ask({}, await world.makeKey("write"))).status).toBe(403);
});
