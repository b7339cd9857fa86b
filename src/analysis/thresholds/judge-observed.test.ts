/** Judging from batches as they are stored, compared with judging from the store. */

import { beforeEach, expect, test } from "vitest";
import { seededRandom } from "../../../bench/seeded-random.ts";
import { batchOf, sample } from "../../../test/support/batches.ts";
import { loadTest } from "../../../test/support/load-tests.ts";
import { openMemoryStore } from "../../../test/support/memory-store/memory-store.ts";
import { observeAppends } from "../../live/observe-appends.ts";
import type { PointBatch, Store } from "../../store/store.ts";
import { RunningJudge } from "./judge-running.ts";

const START = 1_700_000_000;
const { name } = loadTest();

let nowMs = 0;
let inner: Store = openMemoryStore();
let store: Store = inner;
let judges: RunningJudge[] = [];
let notices: unknown[] = [];
/** Scans of endpoints. */
let scans = 0;

beforeEach(async () => {
  [nowMs, judges, notices, scans] = [START * 1000, [], [], 0];
  inner = openMemoryStore({ now: () => nowMs });
  store = observeAppends(inner, (_, ...stored) => judges[0]?.observe(...stored));
  await store.loadTests.create(loadTest("run"));
});

function keep(...failIf: readonly string[]): Promise<void> {
  return store.thresholds.keep(name, JSON.stringify({ thresholds: [{ failIf }] }));
}

function openJudge(): RunningJudge {
  const stored = store.points;
  const points: Store["points"] = {
    ...stored,
    async snapshot(id) {
      const snapshot = await stored.snapshot(id);
      return snapshot && { ...snapshot, index: () => ((scans += 1), snapshot.index()) };
    },
  };
  return new RunningJudge({
    store: { ...store, points },
    now: () => nowMs,
    clockMs: () => nowMs,
    onBroken: async (_, broken) =>
      void notices.push(broken.map(({ limit, window }) => [limit.text, window])),
    onRecovered: async () => void notices.push("recovered"),
    failed: (id, reason) => void notices.push(`${id}: ${reason}`),
  });
}

const sequences = new Map<string, number>();

function add(
  samples: Parameters<typeof batchOf>[0],
  sourceId: string,
  about: Partial<PointBatch> = {},
  to: Store = store,
) {
  const sequence = sequences.get(sourceId) ?? 0;
  sequences.set(sourceId, sequence + 1);
  return to.points.append({ ...batchOf(samples, { sequence }), sourceId, ...about });
}

beforeEach(() => sequences.clear());

test.each([1, 2, 3, 4, 5])(
  "windows of random batches that arrive late equal those of the store (seed %i)",
  async (seed) => {
    const random = seededRandom(seed);
    await keep(
      "errors > 30% over 5s",
      "errors > 15% over 4s for 3 windows",
      "p95 > 250ms over 7s",
      "p95 > 400ms over 7s for 1 window",
      "GET /1: avg > 200ms over 3s for 5 windows",
      "p50 > 900ms over 20s",
      "avg > 900ms over 5s at least 20 requests",
      "GET /1: p99 > 900ms over 10s",
      "GET /2: throughput < 1/s over 6s after 15s",
      "requests < 1 over 9s",
    );
    judges = [openJudge()];
    for (let second = 0; second < 90; second++) {
      nowMs = (START + second + 1) * 1000;
      for (const sourceId of ["a", "b", "c"]) {
        if (random() < 0.2) continue;
        const samples = Array.from({ length: Math.floor(8 * random()) }, () => {
          const at = START + Math.max(0, second - Math.floor(random() ** 4 * 12));
          const one = sample(
            `GET /${Math.floor(3 * random())}`,
            at,
            Math.floor(1e6 * random() ** 3),
          );
          return { ...one, failed: random() < 0.1 };
        });
        await add(samples, sourceId);
      }
      await judges[0]?.look();
    }
    const { finishedAtMs = nowMs } = await store.loadTests.update("run", { finishedAtMs: nowMs });
    expect(finishedAtMs).toBe(nowMs);
    for (let looks = 0; looks < 3; looks++) {
      nowMs += 4000;
      await judges[0]?.look();
    }
    const reader = openJudge();
    await reader.look();
    nowMs += 2000;
    await reader.look();
    const states = judges[0]?.stateOf("run") ?? [];
    expect(states.length).toBeGreaterThan(4);
    expect(new Set(states)).toEqual(new Set(reader.stateOf("run")));
  },
);

async function run(
  from: number,
  until: number,
  failed = 0,
  others?: (second: number) => Promise<void>,
) {
  for (let second = from; second < until; second++) {
    nowMs = (START + second + 1) * 1000;
    const samples = Array.from({ length: 10 }, (_, at) => {
      return { ...sample("GET /", START + second, 1000), failed: at < failed };
    });
    await add(samples, "a");
    await others?.(second);
    await judges[0]?.look();
  }
}

test("the store is read once, and a break is reported with the second after it", async () => {
  await keep("errors > 50% over 5s");
  judges = [openJudge()];
  await run(0, 60);
  const before = scans;
  await run(60, 68, 10);
  expect(scans).toBe(before);
  expect(before).toBeLessThan(4);
  // 3 of 5 s are 60 %: the windows from 58 s and from 63 s on, the last second of which is 67.
  expect(notices).toHaveLength(0);
  await run(68, 69, 10);
  expect(notices).toMatchObject([
    [["errors > 50% over 5s", { from: START + 63, until: START + 68, failedRequests: 50 }]],
  ]);
});

test("what another process stores is read", async () => {
  await keep("errors > 50% over 5s");
  judges = [openJudge()];
  await run(0, 20);
  await run(20, 60, 0, async (second) => {
    const failed = { ...sample("GET /", START + second, 1000), failed: true };
    await add(
      Array.from({ length: 30 }, () => failed),
      "b",
      {},
      inner,
    );
  });
  expect(notices).toHaveLength(1);
});

async function addAhead(second: number): Promise<void> {
  await add(
    Array.from({ length: 10 }, () => sample("GET /", START + second + 30, 1000)),
    "b",
  );
}

test("a sender whose clock is 30 s ahead hides nothing, and breaks nothing", async () => {
  judges = [openJudge()];
  // Until the 30th second, "a" is alone.
  await keep("throughput < 9/s over 5s after 5s", "errors > 40% over 5s");
  await run(0, 60, 0, addAhead);
  expect(notices).toEqual([]);
  await run(60, 80, 10, addAhead);
  expect(notices).toMatchObject([[["errors > 40% over 5s", {}]]]);
});

test("the first window is shown although none can break yet", async () => {
  await keep("errors > 50% over 20s");
  judges = [openJudge()];
  await run(0, 26, 4);
  expect(judges[0]?.stateOf("run")).toMatchObject([
    { measured: 0.4, window: { from: START + 5, until: START + 25 } },
  ]);
});

test("a target that hangs breaks a limit on throughput while active users are reported, and at no end of a run", async () => {
  await keep("throughput < 1/s over 3s", "errors > 1% over 3s");
  judges = [openJudge()];
  await run(0, 30);
  for (let second = 30; second < 45; second++) {
    nowMs = (START + second + 1) * 1000;
    await judges[0]?.look();
  }
  expect(notices).toEqual([]);
  for (let second = 45; second < 47; second++) {
    nowMs = (START + second + 1) * 1000;
    const counts = {
      generator: Uint32Array.of(0),
      second: Uint32Array.of(START + second),
      active: Float64Array.of(5),
      started: Float64Array.of(0),
      ended: Float64Array.of(0),
    };
    await add([], "a", { users: { generators: [""], counts } });
    await judges[0]?.look();
  }
  expect(notices).toMatchObject([[["throughput < 1/s over 3s", { requests: 0 }]]]);
});

function requests(count: number, second: number) {
  return Array.from({ length: count }, () => sample("GET /", START + second, 1000));
}

test("a sender of 20 s at a time, and requests reported 6 s after they began, leave no seconds with few requests", async () => {
  await keep("throughput < 19/s over 5s after 25s");
  judges = [openJudge()];
  // Of the 20 requests a second, "a" sends ten at once, "b" five every 20 s, "c" five, two of them late.
  await run(0, 90, 0, async (second) => {
    const late = second < 6 ? [] : requests(2, second - 6);
    await add([...requests(3, second), ...late], "c");
    if (second % 20 !== 19) return;
    const burst = Array.from({ length: 20 }, (_, at) => requests(5, second - 19 + at));
    await add(burst.flat(), "b");
  });
  expect(notices).toEqual([]);
});

test("a second of a year ahead breaks nothing, hides nothing and holds up nothing", async () => {
  await keep("errors > 50% over 5s", "throughput < 1/s over 3s");
  judges = [openJudge()];
  await run(0, 20);
  await add([sample("GET /", START + 31_536_000, 1000)], "a");
  await judges[0]?.look();
  await run(20, 40);
  expect(notices).toEqual([]);
  await run(40, 60, 10);
  expect(notices).toMatchObject([[["errors > 50% over 5s", {}]]]);
});

test("requests that cannot be added up do not fail the sender", async () => {
  await keep("errors > 50% over 5s");
  judges = [openJudge()];
  await run(0, 20);
  const huge = sample("GET /", START + 19, Number.MAX_SAFE_INTEGER - 1);
  for (const _ of [1, 2]) {
    expect(await add([huge], "a")).toMatchObject({ duplicate: false });
  }
});

test("columns that a sender uses again are not kept", async () => {
  await keep("errors > 50% over 5s");
  judges = [openJudge()];
  await run(0, 20);
  const sequence = sequences.get("a") ?? 0;
  for (let second = 20; second < 30; second++) {
    nowMs = (START + second + 1) * 1000;
    const samples = Array.from({ length: 10 }, () => sample("GET /", START + second, 1000));
    const batch = batchOf(samples, { sequence: sequence + second, sourceId: "a" });
    const copy = structuredClone(batch);
    const lent = observeAppends(
      { ...inner, points: { ...inner.points, append: () => inner.points.append(copy) } },
      (_, __, revisions) => judges[0]?.observe(batch, revisions),
    );
    await lent.points.append(batch);
    batch.points.failedRequests.fill(10);
    await judges[0]?.look();
  }
  expect(notices).toEqual([]);
});

test("a longer window is judged only from data that hold it", async () => {
  await keep("errors > 50% over 5s");
  judges = [openJudge()];
  await run(0, 600);
  await keep("throughput < 1/s over 300s after 5s");
  // The next look waits for a batch that may be on its way.
  await add([sample("GET /", START + 600, 1000)], "b", {}, inner);
  await run(600, 660, 0, async (second) => {
    await add([sample("GET /", START + second, 1000)], "b", {}, inner);
  });
  expect(notices).toEqual([]);
});

test("a process that stood still for minutes sees no silence in what it missed", async () => {
  await keep("throughput < 1/s over 3s");
  judges = [openJudge()];
  await run(0, 30);
  const [still] = judges;
  judges = [];
  await run(30, 200);
  judges = still === undefined ? [] : [still];
  await run(200, 210);
  expect(notices).toEqual([]);
});

test("while what was missed cannot be read, nothing is judged from the rest", async () => {
  await keep("throughput < 1/s over 3s");
  let isAway = false;
  const { points } = store;
  store = {
    ...store,
    points: {
      ...points,
      async snapshot(id) {
        const opened = await points.snapshot(id);
        const index: NonNullable<typeof opened>["index"] = async () => {
          if (isAway) throw new Error("away");
          return (opened as NonNullable<typeof opened>).index();
        };
        return opened && { ...opened, index };
      },
    },
  };
  judges = [openJudge()];
  await run(0, 30);
  await add([sample("GET /", START + 30, 1000)], "b", {}, inner);
  isAway = true;
  for (let second = 30; second < 50; second++) {
    nowMs = (START + second + 1) * 1000;
    await add([sample("GET /", START + second, 1000)], "a");
    await judges[0]?.look().catch(() => undefined);
  }
  isAway = false;
  await run(50, 60);
  expect(notices).toEqual([]);
});

test("a limit has one state, also if its data are no longer of single seconds", async () => {
  await keep("errors > 50% over 10s");
  judges = [openJudge()];
  await run(0, 30);
  const { points, ...batch } = batchOf([sample("GET /", START + 30, 1000)], { sequence: 1000 });
  const wide = { ...points, windowSeconds: Uint16Array.of(10) };
  await store.points.append({ ...batch, sourceId: "b", points: wide });
  await run(31, 60);
  expect(judges[0]?.stateOf("run")).toHaveLength(1);
});

test("rows under a name that one sender sends as requests and another as a transaction count as the store counts them", async () => {
  await keep("errors > 40% over 5s", "GET /: errors > 40% over 5s");
  judges = [openJudge()];
  await run(0, 90, 0, async (second) => {
    const failed = { ...sample("GET /", START + second, 1000), failed: true };
    const samples = Array.from({ length: 10 }, () => failed);
    await add(samples, "b", { roles: ["transaction"] });
  });
  const [all, one] = judges[0]?.stateOf("run") ?? [];
  // 10 of 20 requests a second failed.
  expect(all).toMatchObject({ isBroken: true, measured: 0.5 });
  expect(one).toMatchObject({ isBroken: true, measured: 0.5 });
});
