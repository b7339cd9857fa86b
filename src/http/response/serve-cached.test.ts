import { afterEach, expect, test } from "vitest";
import { batchOf, sample } from "../../../test/support/batches.ts";
import { plainAnswer } from "../../../test/support/plain-metrics.ts";
import { exchange, parseAnswers } from "../../../test/support/raw-http.ts";
import { openStoreIn, temporaryDirectory } from "../../../test/support/store-directory.ts";
import { createTestServer, type TestServer } from "../../../test/support/test-server.ts";
import { openMemoryStore } from "../../../test/support/memory-store/memory-store.ts";
import type { Store } from "../../store/store.ts";
import type { HttpSettings } from "../settings.ts";

const ADDRESS = "/Api/Metrics?loadTestId=run&filter=a&format=csv";
const SAMPLES = [sample("a", 10), sample("b", 10)];

interface World extends TestServer {
  readonly port: number;
  /** Number of key look-ups: responses from the cache need none. */
  lookUps: number;
  nowMs: number;
}

let world: World;
afterEach(() => world.server.close());

interface Serving {
  readonly settings?: Partial<HttpSettings>;
  readonly store?: Store;
}

async function serve({ settings = {}, store }: Serving = {}): Promise<void> {
  const made = await createTestServer({
    settings,
    ...(store === undefined ? {} : { store }),
    samples: SAMPLES,
    dependencies: {
      now: () => world.nowMs,
      authenticate(text) {
        world.lookUps += 1;
        return made.ring.authenticate(text);
      },
    },
  });
  const port = Number(new URL(await made.server.listen()).port);
  world = { ...made, port, lookUps: 0, nowMs: Date.now() };
}

/** Sends a request on its own connection. Returns all bytes except those that always differ. */
async function ask(headers: readonly string[] = [], method = "GET", address = ADDRESS) {
  const key = `X-Service-Auth: ${world.key}`;
  const head = [`${method} ${address} HTTP/1.1`, "Host: localhost", key, ...headers];
  const bytes = await exchange(world.port, [...head, "Connection: close", "", ""].join("\r\n"));
  return bytes.toString("latin1").replace(/^(X-Request-Id|Date): .*$/gm, "$1: …");
}

function statusAndBody(answer: string): readonly unknown[] {
  const [{ status, body } = {}] = parseAnswers(Buffer.from(answer, "latin1"));
  return [status, body?.toString()];
}

const CSV = plainAnswer(SAMPLES, { select: (label) => label === "a", format: "csv" });

test.each([
  ["an answer", "GET", ""],
  ["one that is compressed", "GET", "Accept-Encoding: gzip"],
  ["one for a page elsewhere", "GET", "Origin: https://graphs.example"],
  ["its head", "HEAD", ""],
  ["that it is known", "GET", "If-None-Match"],
])("%s is served again byte for byte without a lookup", async (_, method, header) => {
  await serve({ settings: { corsOrigins: ["https://graphs.example"] } });
  const tag = /^ETag: (.*)\r$/m.exec(await ask())?.[1] ?? "";
  const headers =
    header === "If-None-Match" ? [`${header}: ${tag}`] : header === "" ? [] : [header];
  world.logged.splice(0);
  const answers = [await ask(headers, method), await ask(headers, method)];
  world.lookUps = 0;
  answers.push(await ask(headers, method), await ask(headers, method));
  expect([new Set(answers).size, world.lookUps]).toEqual([1, 0]);
  const lines = world.logged.map(({ requestId: _id, elapsedMs: _ms, ...line }) => line);
  expect(lines).toEqual([lines[0], lines[0], lines[0], lines[0]]);
});

async function askOften(): Promise<void> {
  for (let time = 0; time < 3; time++) expect(statusAndBody(await ask())).toEqual([200, CSV]);
}

test.each<[change: string, make: () => Promise<unknown>, status: number]>([
  ["another key was made", () => world.makeKey("read"), 200],
  ["the load test was deleted", () => world.store.loadTests.delete("run"), 404],
  ["the key was revoked", async () => world.ring.revoke(await nameOfKey()), 401],
])("once %s, the cached response is checked again", async (_, make, status) => {
  await serve();
  await askOften();
  world.lookUps = 0;
  await make();
  expect([statusAndBody(await ask())[0], world.lookUps]).toEqual([status, 1]);
});

async function nameOfKey(): Promise<string> {
  return (await world.ring.list())[0]?.name ?? "";
}

test("data acknowledged by another process are in the next response", async () => {
  const directory = temporaryDirectory();
  const other = await openStoreIn(directory);
  await serve({ store: await openStoreIn(directory) });
  await askOften();
  const all = [...SAMPLES];
  for (let second = 11; second < 20; second++) {
    const samples = [sample("a", second)];
    await other.points.append(batchOf(samples, { sourceId: "other", sequence: second }));
    all.push(...samples);
    const csv = plainAnswer(all, { select: (label) => label === "a", format: "csv" });
    for (let time = 0; time < 3; time++) expect(statusAndBody(await ask())).toEqual([200, csv]);
  }
});

test("a store without a version is queried each time", async () => {
  await serve({ store: { ...openMemoryStore(), version: () => undefined } });
  await askOften();
  world.lookUps = 0;
  await askOften();
  expect(world.lookUps).toBe(3);
  await world.store.loadTests.delete("run");
  expect(statusAndBody(await ask())[0]).toBe(404);
});

test("after a minute the key is looked up again and its use recorded", async () => {
  await serve();
  await askOften();
  world.lookUps = 0;
  world.nowMs += 60_000;
  await ask();
  expect(world.lookUps).toBe(1);
});

test("an evicted response is read again", async () => {
  await serve({ settings: { answerCacheBytesMax: 3000 } });
  await askOften();
  const other = ADDRESS.replace("=a", "=b");
  for (let time = 0; time < 3; time++) expect(await ask([], "GET", other)).toContain("200 OK");
  await askOften();
});
