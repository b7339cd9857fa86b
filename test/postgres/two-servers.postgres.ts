/** Two real servers on a database, one of which is killed: each notice of a window that breaks is posted once. */

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import { batchOf, sample } from "../support/batches.ts";
import { loadTest } from "../support/load-tests.ts";
import { type RunningTachograph, startTachograph } from "../support/run-tachograph.ts";
import { type PostgresServer, startServer } from "./server.ts";

let server: PostgresServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const NAME = "shop";

/** As many load tests as may break at the same time. */
const IDS = Array.from({ length: 8 }, (_, at) => `run-${at}`);

interface Posted {
  readonly event: string;
  readonly id: string;
  readonly loadTest: { readonly id: string };
}

/** Counts notices of broken windows that it took, by load test. It answers once `answers` has resolved. */
async function startReceiver(answers: Promise<void>) {
  const posted: string[] = [];
  const arrived: string[] = [];
  const receiver = createServer(async (request, response) => {
    const { event, loadTest: of } = JSON.parse(await text(request)) as Posted;
    if (event === "thresholds-broken") {
      arrived.push(of.id);
      await answers;
      if (request.socket.destroyed) return;
      posted.push(of.id);
    }
    response.writeHead(204).end();
  }).listen(0, "127.0.0.1");
  await once(receiver, "listening");
  onTestFinished(() => void receiver.close());
  const { port } = receiver.address() as AddressInfo;
  return { posted, arrived, address: `http://127.0.0.1:${port}/hook` };
}

async function serve(url: string, address: string): Promise<RunningTachograph> {
  const words = ["serve", "--port", "0", "--postgres", url, "--notify", address];
  const started = startTachograph(words);
  onTestFinished(async () => {
    started.process.kill("SIGKILL");
    await started.outcome;
  });
  await started.printed("http://");
  return started;
}

async function hasEach(ids: readonly string[]): Promise<void> {
  await expect.poll(() => new Set(ids).size, { timeout: 60_000 }).toBe(IDS.length);
}

/** Both servers find that each load test broke a limit. */
async function breakEach(isOneKilled: boolean): Promise<readonly string[]> {
  const url = await server.create();
  const store = await openPostgresStore(url, { now: Date.now });
  onTestFinished(() => store.close());
  const failIf = ["errors > 50% over 3s"];
  await store.thresholds.keep(NAME, JSON.stringify({ thresholds: [{ failIf }] }));
  const { promise: answers, resolve: answer } = Promise.withResolvers<void>();
  const { posted, arrived, address } = await startReceiver(answers);
  const [first] = await Promise.all([serve(url, address), serve(url, address)]);
  const until = Math.floor(Date.now() / 1000);
  for (const id of IDS) {
    await store.loadTests.create({ ...loadTest(id), name: NAME });
    const samples = Array.from({ length: 40 }, (_, at) => {
      return { ...sample("GET /", until - 40 + at), failed: at >= 20 };
    });
    await store.points.append({ ...batchOf(samples), loadTestId: id });
  }
  await hasEach(arrived);
  if (isOneKilled) {
    first.process.kill("SIGKILL");
    await first.outcome;
  }
  answer();
  await hasEach(posted);
  // By then, each server has looked again.
  await new Promise((resolve) => setTimeout(resolve, 4000));
  return posted.toSorted();
}

test("each window that breaks is posted once", async () => {
  expect(await breakEach(false)).toEqual(IDS);
});

// It takes the time after which a process counts as ended.
test.runIf(process.env["TACHOGRAPH_RANDOM_CASES"] === "all")(
  "each window that breaks is posted once though a server is killed",
  async () => {
    expect(await breakEach(true)).toEqual(IDS);
  },
);
