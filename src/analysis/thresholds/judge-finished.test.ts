import { setTimeout } from "node:timers/promises";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { openMemoryStore } from "../../../test/support/memory-store/memory-store.ts";
import { batchOf, sample } from "../../../test/support/batches.ts";
import { loadTest } from "../../../test/support/load-tests.ts";
import type { VerdictJson } from "../../api/thresholds.ts";
import { UserError } from "../../model/errors.ts";
import { FinishedJudge } from "./judge-finished.ts";

const MINUTE_MS = 60_000;
const START_MS = 1_700_000_000_000;

let store = openMemoryStore();
/** The clock of the store and the judge. */
let nowMs = 0;
/** How far the clock was set from the right time. */
let setMs = 0;
let judged: string[] = [];
let notices: string[] = [];
let failures: string[] = [];
let outcome: "passes" | "open" | "fails" | "none" | "error" | "away" | "ends" = "passes";
/** What posting a notice waits for. */
let posted = Promise.resolve();
/** What each verdict waits for, in order. */
let reads: readonly Promise<void>[] = [];

beforeEach(async () => {
  [nowMs, setMs, judged, notices, failures, outcome] = [START_MS, 0, [], [], [], "passes"];
  store = openMemoryStore({ now: () => nowMs + setMs });
  await store.loadTests.create(loadTest("run"));
  await store.thresholds.keep(loadTest().name, "any");
  posted = Promise.resolve();
  reads = [];
});

async function addData(sequence = 0, second = START_MS / 1000): Promise<void> {
  await store.points.append(batchOf([sample("GET /", second)], { sequence }));
}

function createJudge(isReady = async (): Promise<boolean> => true): FinishedJudge {
  return new FinishedJudge({
    store,
    isReady,
    async verdictOf(id) {
      judged.push(id);
      await reads[judged.length - 1];
      // Never resolves, as in a process that is killed.
      if (outcome === "ends") await new Promise(() => undefined);
      if (outcome === "error") throw new UserError("damaged-store", "broken");
      if (outcome === "away") throw new UserError("store-unreachable", "connection terminated");
      const fails = outcome === "fails";
      const thresholds = outcome === "none" ? [] : [{} as VerdictJson["thresholds"][number]];
      const [checked, failed] = [thresholds.length, fails ? 1 : 0];
      const withVerdict = outcome === "open" ? 0 : checked;
      const counts = { checked, failed, judged: withVerdict };
      return { name: id, against: null, fails, ...counts, thresholds };
    },
    now: () => nowMs + setMs,
    clockMs: () => nowMs,
    onFailed({ id }) {
      notices.push(id);
      return posted;
    },
    failed: (id, reason) => void failures.push(`${id}: ${reason}`),
  });
}

async function tags(): Promise<readonly string[]> {
  return (await store.loadTests.find("run"))?.tags ?? [];
}

test("a load test is judged once it has all that is to be judged", async () => {
  await addData();
  nowMs += 2 * MINUTE_MS;
  let isReady = false;
  const judge = createJudge(async () => isReady);
  for (const judgedThen of [0, 0, 1, 1]) {
    isReady = judgedThen === 1;
    await judge.judge();
    expect(judged).toHaveLength(judgedThen);
  }
});

test("a store that is away for a while leaves no run unjudged, tagged before or not", async () => {
  const judge = createJudge();
  for (const [sequence, tag] of ["passed", "failed"].entries()) {
    await addData(sequence);
    nowMs += 2 * MINUTE_MS;
    outcome = "away";
    await expect(judge.judge()).rejects.toThrow("terminated");
    outcome = tag === "passed" ? "passes" : "fails";
    await judge.judge();
    expect(await tags()).toEqual([`thresholds-${tag}`]);
  }
  expect([notices, failures]).toEqual([["run"], []]);
});

test("a run is evaluated once, a minute after its last data", async () => {
  await addData();
  const judge = createJudge();
  nowMs = START_MS + MINUTE_MS - 1;
  await judge.judge();
  expect(judged).toEqual([]);
  nowMs = START_MS + MINUTE_MS;
  await judge.judge();
  await judge.judge();
  expect(judged).toEqual(["run"]);
  expect(await tags()).toEqual(["thresholds-passed"]);
  expect(notices).toEqual([]);
});

test("a run that is marked as finished is evaluated at once", async () => {
  await addData();
  await store.loadTests.update("run", { finishedAtMs: 1 });
  outcome = "fails";
  await createJudge().judge();
  expect(await tags()).toEqual(["thresholds-failed"]);
  expect(notices).toEqual(["run"]);
});

test("new data cause another evaluation, and its failure is reported once", async () => {
  await addData();
  const judge = createJudge();
  nowMs = START_MS + 2 * MINUTE_MS;
  outcome = "fails";
  await judge.judge();
  await addData(1);
  nowMs += MINUTE_MS;
  await judge.judge();
  expect([judged.length, notices.length]).toEqual([2, 1]);
  await addData(2);
  nowMs += MINUTE_MS;
  outcome = "passes";
  await judge.judge();
  expect(await tags()).toEqual(["thresholds-passed"]);
});

test("a verdict of an earlier process stays", async () => {
  await addData();
  outcome = "fails";
  nowMs = START_MS + MINUTE_MS;
  await createJudge().judge();
  await createJudge().judge();
  expect([judged.length, notices.length]).toEqual([1, 1]);
});

test("new data cause another evaluation, also if the process ends before that", async () => {
  await addData();
  nowMs += MINUTE_MS;
  await createJudge().judge();
  expect(await tags()).toEqual(["thresholds-passed"]);
  await addData(1);
  nowMs += MINUTE_MS;
  outcome = "fails";
  for (const _ of ["restarted", "again"]) {
    await createJudge().judge();
    expect(await tags()).toEqual(["thresholds-failed"]);
  }
  expect([judged.length, notices.length]).toEqual([2, 1]);
});

test("a run that is corrected after days is evaluated again", async () => {
  await addData();
  const judge = createJudge();
  outcome = "fails";
  for (const corrections of [0, 1, 2]) {
    await addData(corrections);
    nowMs += MINUTE_MS;
    // The last time, by another process.
    await (corrections === 2 ? createJudge() : judge).judge();
    expect(judged).toHaveLength(corrections + 1);
    nowMs += 2 * 24 * 60 * MINUTE_MS;
    await judge.judge();
  }
});

test("a run gets no tag if a threshold has no verdict, and loses that of its earlier data", async () => {
  await addData();
  const judge = createJudge();
  nowMs = START_MS + MINUTE_MS;
  outcome = "open";
  await judge.judge();
  expect(await tags()).toEqual([]);
  outcome = "passes";
  for (const sequence of [1, 2]) {
    await addData(sequence);
    nowMs += MINUTE_MS;
    await judge.judge();
    expect(await tags()).toEqual(sequence === 1 ? ["thresholds-passed"] : []);
    outcome = "open";
  }
});

test("a run whose new data cannot be evaluated loses the tag of its earlier data", async () => {
  await addData();
  const judge = createJudge();
  nowMs += MINUTE_MS;
  await judge.judge();
  expect(await tags()).toEqual(["thresholds-passed"]);
  await addData(1);
  nowMs += MINUTE_MS;
  outcome = "error";
  await judge.judge();
  expect([await tags(), failures]).toEqual([[], ["run: broken"]]);
});

test("load tests without thresholds, without data and old ones get no tag", async () => {
  const judge = createJudge();
  await judge.judge();
  await addData();
  outcome = "none";
  nowMs = START_MS + 24 * 60 * MINUTE_MS + 1;
  await createJudge().judge();
  expect(judged).toEqual([]);
  nowMs = START_MS + 24 * 60 * MINUTE_MS;
  await createJudge().judge();
  expect(judged).toEqual(["run"]);
  expect(await tags()).toEqual([]);
});

test("a run that cannot be evaluated does not block the others", async () => {
  await addData();
  const judge = createJudge();
  nowMs = START_MS + MINUTE_MS;
  outcome = "error";
  await judge.judge();
  await judge.judge();
  expect(failures).toEqual(["run: broken"]);
});

test("a failure of requests of days ago is tagged without a notice", async () => {
  const day = 24 * 60 * 60;
  await addData(0, START_MS / 1000 - day);
  outcome = "fails";
  nowMs = START_MS + MINUTE_MS;
  await createJudge().judge();
  expect(await tags()).toEqual(["thresholds-failed"]);
  expect(notices).toEqual([]);
});

/** Judges in a process that is killed meanwhile; others wait a while for it. */
async function judgeAndEnd(): Promise<void> {
  const before = judged.length;
  void createJudge().judge();
  await expect.poll(() => judged.length).toBe(before + 1);
  nowMs += 2 * MINUTE_MS;
}

test("of two processes, one judges and posts, also if it takes long, or one has an old list", async () => {
  await addData();
  nowMs = START_MS + MINUTE_MS;
  outcome = "fails";
  const { promise, resolve } = Promise.withResolvers<void>();
  posted = promise;
  const [one, other] = [createJudge(), createJudge()];
  await one.judge();
  // The receiver is away for some minutes.
  for (let pass = 0; pass < 10; pass++) {
    nowMs += MINUTE_MS;
    for (const judge of [other, one]) await judge.judge();
  }
  resolve();
  await one.settle();
  await other.judge();
  await addData(1);
  nowMs += MINUTE_MS;
  await Promise.all([one.judge(), other.judge()]);
  nowMs += MINUTE_MS;
  await Promise.all([one.judge(), other.judge()]);
  expect(notices).toEqual(["run"]);
});

test("a verdict that takes minutes stays with its process, as that says that it still reads", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  await addData();
  nowMs = START_MS + MINUTE_MS;
  outcome = "fails";
  const { promise, resolve } = Promise.withResolvers<void>();
  reads = [promise];
  const [one, other] = [createJudge(), createJudge()];
  const judging = one.judge();
  await expect.poll(() => judged.length).toBe(1);
  for (let minute = 0; minute < 5; minute++) {
    nowMs += MINUTE_MS;
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    await other.judge();
  }
  resolve();
  await judging;
  await one.settle();
  await other.judge();
  expect([judged, notices]).toEqual([["run"], ["run"]]);
  expect(vi.getTimerCount()).toBe(0);
});

test("a process that stood still while it read a verdict does not post what another one took over", async () => {
  await addData();
  nowMs = START_MS + MINUTE_MS;
  outcome = "ends";
  // Whoever judges again posts although the tag is there.
  await judgeAndEnd();
  outcome = "fails";
  const { promise, resolve } = Promise.withResolvers<void>();
  reads = [Promise.resolve(), promise];
  const [one, other] = [createJudge(), createJudge()];
  const judging = one.judge();
  await expect.poll(() => judged.length).toBe(2);
  nowMs += 3 * MINUTE_MS;
  await other.judge();
  await other.settle();
  resolve();
  await judging;
  for (const judge of [one, other, one]) await judge.judge();
  expect([judged.length, notices]).toEqual([3, ["run"]]);
});

test("what ends the process is judged again, but not at every start", async () => {
  await addData();
  nowMs = START_MS + MINUTE_MS;
  outcome = "ends";
  for (let start = 0; start < 3; start++) await judgeAndEnd();
  outcome = "fails";
  await createJudge().judge();
  await createJudge().judge();
  expect(judged).toEqual(["run", "run", "run"]);
  const reason = "the server has ended 3 times before it was judged and notices were sent";
  expect(failures).toEqual([`run: ${reason}`, `run: ${reason}`]);
  await addData(1);
  nowMs += MINUTE_MS;
  await createJudge().judge();
  expect([judged.length, notices]).toEqual([4, ["run"]]);
});

test("a judged run that ended the process once gets its tag and its notice", async () => {
  await addData();
  nowMs = START_MS + MINUTE_MS;
  outcome = "ends";
  await judgeAndEnd();
  outcome = "fails";
  await createJudge().judge();
  await createJudge().judge();
  expect([judged.length, notices]).toEqual([2, ["run"]]);
  expect(await tags()).toEqual(["thresholds-failed"]);
});

test("a notice that was not posted when the process ended is posted by the next one", async () => {
  await addData();
  nowMs = START_MS + MINUTE_MS;
  outcome = "fails";
  posted = new Promise(() => undefined);
  await createJudge().judge();
  expect([await tags(), notices]).toEqual([["thresholds-failed"], ["run"]]);
  posted = Promise.resolve();
  nowMs += 2 * MINUTE_MS;
  const judge = createJudge();
  await judge.judge();
  await judge.settle();
  await createJudge().judge();
  expect(notices).toEqual(["run", "run"]);
});

test("new data do not post a notice twice while the first one is under way", async () => {
  await addData();
  nowMs = START_MS + MINUTE_MS;
  outcome = "fails";
  const { promise, resolve } = Promise.withResolvers<void>();
  posted = promise;
  const judge = createJudge();
  await judge.judge();
  await addData(1);
  nowMs += MINUTE_MS;
  await judge.judge();
  expect([judged.length, notices]).toEqual([2, ["run"]]);
  resolve();
  await judge.settle();
  await createJudge().judge();
  expect([judged.length, notices]).toEqual([2, ["run"]]);
});

test("settling waits until it is noted that the notices were posted", async () => {
  const own = store.judgeNotes;
  const judgeNotes: typeof own = {
    ...own,
    async replace(...texts) {
      await setTimeout(5);
      return own.replace(...texts);
    },
  };
  store = { ...store, judgeNotes };
  outcome = "fails";
  await addData();
  await store.loadTests.update("run", { finishedAtMs: 1 });
  const judge = createJudge();
  await judge.judge();
  await setTimeout(1);
  await judge.settle();
  expect([notices, await store.judgeNotes.find()]).toEqual([
    ["run"],
    `[["run",{"lastDataAtMs":${START_MS},"attempts":0}]]`,
  ]);
});

const HOUR_MS = 60 * MINUTE_MS;

test.each([-HOUR_MS, HOUR_MS])(
  "a clock that is set by %d ms neither delays nor hastens the verdict",
  async (stepMs) => {
    const judge = createJudge();
    await judge.judge();
    await addData();
    nowMs += 1000;
    setMs = stepMs;
    await judge.judge();
    expect(judged).toEqual([]);
    await addData(1);
    nowMs += MINUTE_MS / 2;
    setMs = 0;
    await judge.judge();
    expect(judged).toEqual([]);
    nowMs += MINUTE_MS;
    await judge.judge();
    await judge.judge();
    expect(judged).toEqual(["run"]);
  },
);

test.each([-HOUR_MS, HOUR_MS])(
  "a clock that is set by %d ms leaves a notice to the process that posts it, and what a killed one left to the next",
  async (stepMs) => {
    await addData();
    nowMs = START_MS + MINUTE_MS;
    outcome = "ends";
    await judgeAndEnd();
    setMs = stepMs;
    outcome = "fails";
    posted = new Promise(() => undefined);
    const one = createJudge();
    for (let pass = 0; pass < 3; pass++) {
      await one.judge();
      nowMs += 2 * MINUTE_MS;
    }
    expect(notices).toEqual(["run"]);
    const other = createJudge();
    for (let minute = 0; minute < 10; minute++) {
      nowMs += MINUTE_MS;
      await one.judge();
      if (minute > 3) setMs = setMs === 0 ? stepMs : 0;
      await other.judge();
    }
    expect([judged.length, notices]).toEqual([2, ["run"]]);
  },
);
