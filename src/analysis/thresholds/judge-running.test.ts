import { beforeEach, expect, test } from "vitest";
import { batchOf, sample } from "../../../test/support/batches.ts";
import { loadTest } from "../../../test/support/load-tests.ts";
import { openMemoryStore } from "../../../test/support/memory-store/memory-store.ts";
import type { Store } from "../../store/store.ts";
import { RunningJudge } from "./judge-running.ts";

const START = 1_700_000_000;
/** The one of `loadTest()`. */
const { name } = loadTest();

let nowMs = 0;
let store: Store = openMemoryStore();
let told: unknown[] = [];
/** Seconds that each look reads. */
let read: number[] = [];

beforeEach(async () => {
  [nowMs, told, read] = [START * 1000, [], []];
  store = openMemoryStore({ now: () => nowMs });
  await store.loadTests.create(loadTest("run"));
  await keep("errors > 50% over 10s", "p95 > 1s over 10s");
});

function keep(...failIf: readonly string[]): Promise<void> {
  return store.thresholds.keep(name, JSON.stringify({ thresholds: [{ failIf }] }));
}

function createJudge(): RunningJudge {
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
    store: { ...store, points },
    now: () => nowMs,
    async onBroken({ id }, broken) {
      told.push([id, ...broken.map(({ limit, window }) => [limit.text, window])]);
    },
    onRecovered: async ({ id }) => void told.push(`${id} recovered`),
    failed: (id, reason) => void told.push(`${id}: ${reason}`),
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

test("windows are judged while data arrive, and what breaks is told once", async () => {
  sequence = 0;
  const judge = createJudge();
  await run(judge, 0, 30, 0);
  expect(told).toEqual([]);
  await run(judge, 30, 60, 6);
  // 6 of 10 seconds with 6 of 10 failed are 36 %, 9 are 54 %: the window from 29 breaks it, and the one from 39.
  expect(told).toEqual([
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
    measured: 0.6,
  });
  await run(judge, 60, 90, 0);
  expect(told.slice(1)).toEqual(["run recovered"]);
  expect(judge.stateOf("run")?.every(({ isBroken }) => !isBroken)).toBe(true);
  // Half a minute for late data, two windows, and some seconds since the last look.
  expect(read.length).toBeGreaterThan(10);
  expect(Math.max(...read.slice(20))).toBeLessThan(60);
});

test("a process that begins later finds what broke before", async () => {
  sequence = 0;
  for (let second = 0; second < 200; second++) await addSecond(second, second < 40 ? 6 : 0);
  const judge = createJudge();
  await judge.look();
  expect(told).toHaveLength(2);
  expect(told[0]).toMatchObject(["run", ["errors > 50% over 10s", { from: START + 10 }]]);
});

test("what breaks in the last seconds is told once the load test is finished", async () => {
  sequence = 0;
  await keep("requests > 5 over 1s");
  await addSecond(0, 0);
  await addSecond(1, 0);
  const judge = createJudge();
  await judge.look();
  expect(told).toEqual([]);
  await store.loadTests.update("run", { finishedAtMs: nowMs });
  nowMs += 5000;
  await judge.look();
  expect(told).toHaveLength(1);
});

test("if it cannot be told, it is told by the next look", async () => {
  sequence = 0;
  for (let second = 0; second < 60; second++) await addSecond(second, 6);
  let isDown = true;
  const judge = new RunningJudge({
    store,
    now: () => nowMs,
    async onBroken({ id }) {
      if (isDown) throw new Error("the store is away");
      told.push(id);
    },
    onRecovered: async () => undefined,
    failed: () => undefined,
  });
  await expect(judge.look()).rejects.toThrow("away");
  isDown = false;
  nowMs += 10_000;
  await judge.look();
  expect(told).toEqual(["run"]);
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
