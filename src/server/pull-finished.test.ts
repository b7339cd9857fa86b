import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeEach, expect, test } from "vitest";
import { batchOf, sample } from "../../test/support/batches.ts";
import { loadTest } from "../../test/support/load-tests.ts";
import { openMemoryStore } from "../../test/support/memory-store/memory-store.ts";
import { Semaphore } from "../concurrency/semaphore.ts";
import { openThresholdsByName } from "../analysis/thresholds/stored-thresholds.ts";
import { readMeasures } from "../query/read-measures.ts";
import { FinishedPuller } from "./pull-finished.ts";

const START = 1_795_690_920;

/** Of the stand-in for a Prometheus. */
let asked: (string | null)[] = [];
const FAULTS: Readonly<Record<string, (response: ServerResponse) => void>> = {
  slow: () => undefined,
  moved: (response) => void response.writeHead(302, { location: "/" }).end(),
  huge: (response) => void response.end(" ".repeat(9 * 1024 * 1024)),
  broken: (response) => void response.writeHead(500).end("oops"),
};

const prometheus = createServer(async (request, response) => {
  if (request.url?.includes("/metadata") === true) {
    response.end(JSON.stringify({ status: "success", data: {} }));
    return;
  }
  const form = new URLSearchParams(await text(request));
  const query = form.get("query") ?? "";
  asked.push(`${query} ${form.get("start")} ${form.get("end")} ${form.get("step")}`);
  const values = [START, START + 5, START + 10].map((second) => [second, "7"]);
  const result = query === "none" ? [] : [{ metric: { instance: "a" }, values }];
  const data = { resultType: "matrix", result };
  const fail = FAULTS[query];
  if (fail === undefined) response.end(JSON.stringify({ status: "success", data }));
  else fail(response);
}).listen(0, "127.0.0.1");
await once(prometheus, "listening");
const address = `http://127.0.0.1:${(prometheus.address() as AddressInfo).port}`;
afterAll(() => {
  prometheus.closeAllConnections();
  prometheus.close();
});

const DOWN = "http://127.0.0.1:2";

let store = openMemoryStore();
let failures: string[] = [];

beforeEach(async () => {
  [store, asked, failures] = [openMemoryStore(), [], []];
  await store.loadTests.create(loadTest("run"));
  await store.points.append(batchOf([sample("GET /", START), sample("GET /", START + 10)]));
});

function createPuller({
  timeoutMs = 60_000,
  pulls = new Semaphore({ max: 1 }),
  project = "web",
} = {}): FinishedPuller {
  return new FinishedPuller({
    addresses: [address, DOWN],
    authorization: undefined,
    store,
    pulls,
    project,
    fetch,
    interrupted: new AbortController().signal,
    now: () => START * 1000,
    timeoutMs,
    failed: (_, reason) => void failures.push(reason),
  });
}

async function keep(queries: readonly string[], url = address): Promise<void> {
  const pull = [{ prometheus: url, queries, stepSeconds: 5 }];
  const kept = openThresholdsByName(store.thresholds, () => 0);
  await kept.keep(loadTest().name, { thresholds: [], pull });
}

async function pullWith(puller: FinishedPuller): Promise<boolean> {
  const [run] = await store.loadTests.list({ limit: 1 });
  if (run === undefined) throw new Error("no load test");
  const isReady = await puller.isReady(run);
  await puller.settle();
  return isReady;
}

async function pulled() {
  const query = { loadTestId: "run", range: undefined };
  return (await readMeasures(store.points, query)).measures;
}

test("a run has what its name asks for before it is judged, once", async () => {
  await keep(["cpu=up"]);
  const puller = createPuller();
  expect(await pullWith(puller)).toBe(false);
  expect(asked).toEqual([`up ${START} ${START + 10} 5`]);
  expect(await pulled()).toMatchObject([{ name: "cpu", tags: { instance: "a" }, count: 3 }]);
  expect(await pullWith(puller)).toBe(true);
  expect(asked).toHaveLength(1);
  // Another process does not know, and changes nothing.
  const { lastDataAtMs } = (await store.loadTests.find("run")) ?? {};
  expect(await pullWith(createPuller())).toBe(false);
  expect(await pulled()).toMatchObject([{ name: "cpu", count: 3 }]);
  expect((await store.loadTests.find("run"))?.lastDataAtMs).toBe(lastDataAtMs);
  expect(failures).toEqual([]);
});

test.each([
  ["slow", address, "no answer within 0.5 s"],
  ["moved", address, "redirect"],
  ["huge", address, "more than 8388608 bytes"],
  ["broken", address, "status 500"],
  ["none", address, "no series"],
  ["up", "http://127.0.0.1:9/", "the server does not list http://127.0.0.1:9 "],
  ["up", "file:///etc/passwd", "want a URL"],
])("%s of %s is given up, and the run says so: %s", async (query, url, reason) => {
  await keep([`cpu=${query}`, "rest=up"], url);
  const puller = createPuller(query === "slow" ? { timeoutMs: 500 } : {});
  expect(await pullWith(puller)).toBe(false);
  expect(failures[0]).toContain(`cpu=${query} was not pulled: `);
  expect(failures[0]).toContain(reason);
  const { events } = (await store.loadTests.find("run")) ?? {};
  expect(events?.[0]).toMatchObject({
    atMs: (START + 11) * 1000,
    text: expect.stringContaining(reason.replace(/http\S+/, "the Prometheus")) as string,
  });
  // The other query is answered, unless the time is over or the address is not listed.
  expect(await pulled()).toHaveLength(["slow", "up"].includes(query) ? 0 : 1);
  expect(await pullWith(puller)).toBe(true);
});

test("a Prometheus that is down is given up", async () => {
  await keep(["cpu=up"], DOWN);
  await pullWith(createPuller());
  const failure = `cpu=up was not pulled: cannot query ${DOWN}: connect ECONNREFUSED 127.0.0.1:2`;
  expect(failures).toEqual([failure]);
  // Links show events, but not where servers are.
  const { events } = (await store.loadTests.find("run")) ?? {};
  const said = "cpu=up was not pulled: cannot query the Prometheus: ECONNREFUSED";
  expect(events).toMatchObject([{ text: said }]);
});

test("a load test that was deleted meanwhile is not made again", async () => {
  await keep(["cpu=up"]);
  const pulls = new Semaphore({ max: 1 });
  const turn = Promise.withResolvers<void>();
  const held = pulls.run("other", () => turn.promise);
  const puller = createPuller({ pulls });
  const [run] = await store.loadTests.list({ limit: 1 });
  if (run !== undefined) await puller.isReady(run);
  await store.loadTests.delete("run");
  turn.resolve();
  await held;
  await puller.settle();
  expect(await store.loadTests.find("run")).toBeUndefined();
});

test("a run that is made again under its id gets its measures, too", async () => {
  await keep(["cpu=up"]);
  const puller = createPuller();
  await pullWith(puller);
  await store.loadTests.delete("run");
  await store.loadTests.create({ ...loadTest("run"), createdAtMs: START * 1000 });
  await store.points.append(batchOf([sample("GET /", START), sample("GET /", START + 10)]));
  expect(await pullWith(puller)).toBe(false);
  expect(await pulled()).toMatchObject([{ name: "cpu", count: 3 }]);
});

test("a project does not wait for all load tests of a project whose Prometheus is slow", async () => {
  await keep(["cpu=up"]);
  const pulls = new Semaphore({ max: 2 });
  const [first, others] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const slow = [first, others, others, others].map(({ promise }) =>
    pulls.run("slow", () => promise),
  );
  const puller = createPuller({ pulls, project: "quick" });
  const [run] = await store.loadTests.list({ limit: 1 });
  if (run !== undefined) await puller.isReady(run);
  expect(asked).toEqual([]);
  first.resolve();
  await puller.settle();
  expect(asked).toHaveLength(1);
  others.resolve();
  await Promise.all(slow);
});
