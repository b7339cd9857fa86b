import { beforeEach, expect, test } from "vitest";
import { batchOf, sample } from "../../../test/support/batches.ts";
import { loadTest } from "../../../test/support/load-tests.ts";
import { openMemoryStore } from "../../../test/support/memory-store/memory-store.ts";
import { UserError } from "../../model/errors.ts";
import type { Store } from "../../store/store.ts";
import { RunningJudge } from "./judge-running.ts";

const START = 1_700_000_000;
/** The one of `loadTest()`. */
const { name } = loadTest();

let nowMs = 0;
/** How far the clock was set from the right time. */
let setMs = 0;
let store: Store = openMemoryStore();
let posted: unknown[] = [];
/** Seconds that each look reads. */
let read: number[] = [];

beforeEach(async () => {
  [nowMs, setMs, posted, read] = [START * 1000, 0, [], []];
  store = openMemoryStore({ now: () => nowMs + setMs });
  await store.loadTests.create(loadTest("run"));
  await keep("errors > 50% over 10s", "p95 > 1s over 10s");
});

function keep(...failIf: readonly string[]): Promise<void> {
  return store.thresholds.keep(name, JSON.stringify({ thresholds: [{ failIf }] }));
}

function createJudge(parts: Partial<Store> = {}): RunningJudge {
  const stored = store.points;
  const points: Store["points"] = {
    ...stored,
    async snapshot(id) {
      const opened = await stored.snapshot(id);
      const index = await opened?.index();
      if (opened === undefined || index === undefined) return undefined;
      const scan: typeof index.scan = (numbers, range, detail) => {
        read.push(range.until - range.from);
        return index.scan(numbers, range, detail as "outcomes");
      };
      return { ...opened, index: async () => ({ ...index, scan }) };
    },
  };
  return new RunningJudge({
    store: { ...store, points, ...parts },
    now: () => nowMs + setMs,
    clockMs: () => nowMs,
    async onBroken({ id }, broken) {
      posted.push([id, ...broken.map(({ limit, window }) => [limit.text, window])]);
    },
    onRecovered: async ({ id }) => void posted.push(`${id} recovered`),
    failed: (id, reason) => void posted.push(`${id}: ${reason}`),
  });
}

let sequence = 0;

/** A second of ten requests, which arrives at its end. */
async function addSecond(second: number, failed: number): Promise<void> {
  const samples = Array.from({ length: 10 }, (_, at) => {
    return { ...sample("GET /", START + second, 1000), failed: at < failed };
  });
  await store.points.append(batchOf(samples, { sequence: sequence++ }));
  nowMs = (START + second + 1) * 1000;
}

async function run(judge: RunningJudge, from: number, until: number, failed: number) {
  for (let second = from; second < until; second++) {
    await addSecond(second, failed);
    await judge.look();
  }
}

test("windows are judged while data arrive, and what breaks is posted once", async () => {
  sequence = 0;
  const judge = createJudge();
  await run(judge, 0, 30, 0);
  expect(posted).toEqual([]);
  await run(judge, 30, 60, 6);
  // 6 of 10 seconds with 6 of 10 failed are 36 %, 9 are 54 %: the window from 29 breaks it, and the one from 39.
  expect(posted).toEqual([
    [
      "run",
      [
        "errors > 50% over 10s",
        { from: START + 39, until: START + 49, requests: 100, failedRequests: 60 },
      ],
    ],
  ]);
  expect(judge.stateOf("run")?.[0]).toMatchObject({
    failIf: "errors > 50% over 10s",
    isBroken: true,
    brokenSince: START + 49,
    measured: 0.6,
    comparison: ">",
    bound: 0.5,
  });
  await run(judge, 60, 90, 0);
  expect(posted.slice(1)).toEqual(["run recovered"]);
  expect(judge.stateOf("run")?.every(({ isBroken }) => !isBroken)).toBe(true);
  // Half a minute for late data, two windows, and some seconds since the last look.
  expect(read.length).toBeGreaterThan(10);
  expect(Math.max(...read.slice(20))).toBeLessThan(60);
});

test.each([3_500_000, -3_500_000])(
  "a clock that is set by %d ms and set right again holds up no window and posts nothing twice",
  async (stepMs) => {
    sequence = 0;
    const judge = createJudge();
    await run(judge, 0, 15, 0);
    setMs = stepMs;
    await run(judge, 15, 30, 0);
    expect(posted).toEqual([]);
    setMs = 0;
    await run(judge, 30, 60, 6);
    expect(posted).toHaveLength(1);
    setMs = stepMs;
    await run(judge, 60, 75, 6);
    setMs = 0;
    await run(judge, 75, 90, 6);
    await run(judge, 90, 120, 0);
    expect(posted.slice(1)).toEqual(["run recovered"]);
  },
);

test("thresholds that change while they are broken have recovered once those in their place are kept", async () => {
  sequence = 0;
  const judge = createJudge();
  await run(judge, 0, 40, 6);
  expect(posted).toHaveLength(1);
  await keep("errors > 55% over 10s", "p95 > 1s over 10s");
  await run(judge, 40, 60, 6);
  expect(posted).toHaveLength(1);
  await run(judge, 60, 90, 0);
  expect(posted.slice(1)).toEqual(["run recovered"]);
});

test("a process that begins later finds what broke before", async () => {
  sequence = 0;
  for (let second = 0; second < 200; second++) await addSecond(second, second < 40 ? 6 : 0);
  const judge = createJudge();
  await judge.look();
  expect(posted).toHaveLength(2);
  expect(posted[0]).toMatchObject(["run", ["errors > 50% over 10s", { from: START + 10 }]]);
});

test("what breaks in the last seconds is posted once the load test is finished", async () => {
  sequence = 0;
  await keep("requests > 5 over 1s");
  await addSecond(0, 0);
  await addSecond(1, 0);
  const judge = createJudge();
  await judge.look();
  expect(posted).toEqual([]);
  await store.loadTests.update("run", { finishedAtMs: nowMs });
  nowMs += 5000;
  await judge.look();
  expect(posted).toHaveLength(1);
});

test("what cannot be posted is posted by the next look", async () => {
  sequence = 0;
  for (let second = 0; second < 60; second++) await addSecond(second, 6);
  let isDown = true;
  const judge = new RunningJudge({
    store,
    now: () => nowMs,
    clockMs: () => nowMs,
    async onBroken({ id }) {
      if (isDown) throw new Error("the store is away");
      posted.push(id);
    },
    onRecovered: async () => undefined,
    failed: () => undefined,
  });
  await expect(judge.look()).rejects.toThrow("away");
  isDown = false;
  nowMs += 10_000;
  await judge.look();
  expect(posted).toEqual(["run"]);
});

test("a store that is away for a while ends no watching", async () => {
  sequence = 0;
  for (let second = 0; second < 60; second++) await addSecond(second, 6);
  let isDown = true;
  const find: Store["loadTests"]["find"] = async (id) => {
    if (isDown) throw new UserError("store-unreachable", "connection terminated");
    return store.loadTests.find(id);
  };
  const judge = createJudge({ loadTests: { ...store.loadTests, find } });
  await expect(judge.look()).rejects.toThrow("terminated");
  isDown = false;
  nowMs += 10_000;
  await judge.look();
  expect(posted).toMatchObject([["run", ["errors > 50% over 10s", {}]]]);
});

test("a load test that cannot be judged leaves the others judged", async () => {
  sequence = 0;
  const broken = { ...loadTest("a"), name: "broken" };
  const bad = { ...loadTest("b"), name: "bad" };
  for (const each of [broken, bad]) await store.loadTests.create(each);
  for (const id of ["a", "b"]) {
    await store.points.append(batchOf([sample("GET /", START)], { loadTestId: id }));
  }
  // As a newer version may have kept.
  await store.thresholds.keep("bad", JSON.stringify({ thresholds: [{ failIf: ["vibes > 1"] }] }));
  await store.thresholds.keep(
    "broken",
    JSON.stringify({ thresholds: [{ failIf: ["p95 > 1s over 1s"] }] }),
  );
  for (let second = 0; second < 60; second++) await addSecond(second, 6);
  const find: Store["loadTests"]["find"] = async (id) => {
    if (id === "a") throw new Error("BUG: of this one");
    return store.loadTests.find(id);
  };
  const judge = createJudge({ loadTests: { ...store.loadTests, find } });
  for (let looks = 0; looks < 3; looks++) {
    await judge.look().catch(() => undefined);
    nowMs += 4000;
  }
  expect(posted).toHaveLength(2);
  expect(posted[0]).toMatch(/^b: .*"bad"/);
  expect(posted[1]).toMatchObject(["run", ["errors > 50% over 10s", {}]]);
});

test("a load test that takes the id of a deleted one is posted by itself", async () => {
  sequence = 0;
  const judge = createJudge();
  await run(judge, 0, 60, 6);
  await store.loadTests.delete("run");
  await store.loadTests.create({ ...loadTest("run"), createdAtMs: nowMs });
  sequence = 0;
  await run(judge, 60, 120, 6);
  expect(posted).toHaveLength(2);
});

test("what broke and has no requests any more is not kept again", async () => {
  sequence = 0;
  await keep("each: errors > 50% over 10s");
  const judge = createJudge();
  const add = async (second: number, failed: boolean, labels: readonly string[]) => {
    const samples = labels.map((label) => ({ ...sample(label, START + second, 1000), failed }));
    await store.points.append(batchOf(samples, { sequence: sequence++ }));
    nowMs = (START + second + 1) * 1000;
    await judge.look();
  };
  for (let second = 0; second < 25; second++) await add(second, true, ["GET /", "GET /cart"]);
  for (let second = 25; second < 95; second++) await add(second, false, ["GET /"]);
  expect(posted).toHaveLength(1);
  for (let second = 95; second < 120; second++) await add(second, false, ["GET /", "GET /cart"]);
  expect(posted.slice(1)).toEqual(["run recovered"]);
});

test("imported files, archives, and load tests without windows are not followed", async () => {
  sequence = 0;
  await keep("errors > 1%");
  await addSecond(0, 10);
  const judge = createJudge();
  await judge.look();
  expect(judge.stateOf("run")).toBeUndefined();
  await keep("errors > 1% over 1s");
  nowMs += 4_000_000;
  await store.points.append(batchOf([sample("GET /", START)], { sequence: sequence++ }));
  await judge.look();
  expect(judge.stateOf("run")).toBeUndefined();
  expect(read).toEqual([]);
});

test("no window before the first request counts, though a transaction began earlier", async () => {
  sequence = 0;
  await keep("requests < 50 over 10s");
  const judge = createJudge();
  const transaction = batchOf([sample("checkout", START - 40, 41_000_000)], {
    sourceId: "transactions",
    roles: ["transaction"],
  });
  await addSecond(0, 0);
  await store.points.append(transaction);
  await run(judge, 1, 40, 0);
  expect(posted).toEqual([]);
});
