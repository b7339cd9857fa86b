import { expect, onTestFinished, test } from "vitest";
import { batchOf, sample, snapshotOf } from "../../test/support/batches.ts";
import { openMemoryStore } from "../../test/support/memory-store/memory-store.ts";
import type { RecordChange } from "../catalogue/audit.ts";
import { measured, measuresIn } from "../../test/support/measures.ts";
import { measureTable } from "../../test/support/plain-measures.ts";
import { UserError } from "../model/errors.ts";
import { hourId } from "../model/measures/environment.ts";
import type { Store } from "../store/store.ts";
import { temporaryDirectory } from "../../test/support/store-directory.ts";
import { loadTest } from "../../test/support/load-tests.ts";
import { summarise } from "../query/open-summary.ts";
import { ALL_ENDPOINTS } from "../series/endpoint-selection.ts";
import { startRetention } from "./start-retention.ts";
import { openSqliteStore } from "../store/sqlite/store.ts";

const DAY_MS = 24 * 3_600_000;
const EVERYTHING = { selection: ALL_ENDPOINTS, range: undefined, apdexMicros: undefined };

test("a server merges the seconds of old load tests, which then say so", async () => {
  let nowMs = 100 * DAY_MS;
  const store = await openSqliteStore(`${temporaryDirectory()}/store.db`, { now: () => nowMs });
  onTestFinished(() => store.close());
  for (const id of ["old", "new"]) {
    await store.loadTests.create(loadTest(id, nowMs));
    const samples = [0, 1, 65].map((after) => sample("a", nowMs / 1000 + after));
    await store.points.append(batchOf(samples, { loadTestId: id }));
    nowMs += 31 * DAY_MS;
  }
  nowMs -= 31 * DAY_MS;
  const logged = new Promise<unknown>((resolve) => {
    const log = { info: resolve, warn: resolve, error: resolve };
    const retention = startRetention(
      store,
      { keepSecondsDays: 30, keepEnvironmentDays: 7 },
      new Map(),
      {
        log,
        now: () => nowMs,
        record: async () => {},
      },
    );
    onTestFinished(() => retention?.stop());
  });
  expect(await logged).toMatchObject({ loadTestId: "old" });
  const qualities = await Promise.all(
    ["old", "new"].map(async (loadTestId) => {
      const { quality, overall } = await summarise(store.points, { loadTestId, ...EVERYTHING });
      return [overall.count, quality.filter(({ code }) => code === "windows")];
    }),
  );
  const message = "requests are recorded in windows of up to 60 s";
  expect(qualities).toEqual([
    [3, [{ code: "windows", message }]],
    [3, []],
  ]);
  expect(await store.loadTests.find("old")).toMatchObject({ tags: [], secondsPerPoint: 60 });
});

test("each project has its own limits, and its load tests are counted alone", async () => {
  const store = openMemoryStore();
  for (const project of [undefined, "web", "api"]) {
    const { loadTests } = store.within({ project });
    for (const [n, id] of ["a", "b", "c"].entries())
      await loadTests.create(loadTest(id, DAY_MS * n));
  }
  const logged: object[] = [];
  const recorded: object[] = [];
  const record: RecordChange = async (entry) => void recorded.push(entry);
  await new Promise<void>((resolve) => {
    const info = (about: object): void => {
      logged.push(about);
      if (logged.length === 2) resolve();
    };
    const unexpected = (about: object): void => {
      logged.push(about, { unexpected: true });
      resolve();
    };
    const log = { info, warn: () => undefined, error: unexpected };
    const limits = new Map([["web", { keepTests: 1000 }]]);
    const job = startRetention(store, { keepTests: 2, keepEnvironmentDays: 7 }, limits, {
      log,
      record,
      now: () => 9 * DAY_MS,
    });
    onTestFinished(() => job?.stop());
  });
  expect(logged).toMatchObject([
    { loadTestId: "a", reason: "count" },
    { project: "api", loadTestId: "a", reason: "count" },
  ]);
  const entry = { key: undefined, operation: "pruneLoadTest", target: "a", outcome: "done" };
  await expect.poll(() => recorded).toMatchObject([entry, { ...entry, project: "api" }]);
  expect(await store.within({ project: "web" }).loadTests.list()).toHaveLength(3);
});

const SILENT = { info: () => undefined, warn: () => undefined };

function failedPass(about: object): never {
  expect.fail(JSON.stringify(about));
}

async function forget(): Promise<void> {}

async function refuse(): Promise<never> {
  throw new UserError("storage-full", "the disk is full");
}

test("hours of an environment stay until its load tests have what they measured", async () => {
  let nowMs = 100 * DAY_MS;
  const store = openMemoryStore({ now: () => nowMs });
  const [from, hour] = [nowMs / 1000 - 50, nowMs / 1000];
  await store.loadTests.create({ ...loadTest("run"), environment: "staging" });
  await store.points.append(batchOf([from, hour + 10].map((second) => sample("a", second))));
  const { loadTests: hours, points } = store.within({ environment: "staging" });
  for (const begin of [hour - 7200, hour - 3600, hour]) {
    const id = hourId(begin);
    await hours.create({ ...loadTest(id), hour: begin });
    const measures = measureTable([measured(begin + 3590, 7), measured(begin, 5)]);
    await points.append({ ...batchOf([]), loadTestId: id, measures });
  }
  nowMs += 8 * DAY_MS;
  const within: typeof store.within = (scope) => {
    const inner = store.within(scope);
    return scope.environment === undefined
      ? { ...inner, within, points: { ...inner.points, append: refuse } }
      : inner;
  };
  const pass = async (on: Store): Promise<void> => {
    const about = { log: { ...SILENT, error: failedPass }, now: () => nowMs, record: forget };
    await startRetention(on, { keepEnvironmentDays: 7 }, new Map(), about).stop();
  };
  const left = async () => (await hours.list()).map((each) => each.hour);
  for (let passes = 0; passes < 4; passes++) await pass({ ...store, within });
  expect(await left()).toEqual([hour - 3600, hour]);
  for (let passes = 0; passes < 4; passes++) await pass(store);
  expect(await left()).toEqual([]);
  const snapshot = await snapshotOf(store);
  const values = (await measuresIn(snapshot)).sums.second;
  expect([...values]).toEqual([hour - 10, hour]);
});

test("a damaged load test stops retention neither of others nor of other projects", async () => {
  const nowMs = 100 * DAY_MS;
  const store = openMemoryStore({ now: () => nowMs - 40 * DAY_MS });
  for (const project of [undefined, "web"]) {
    const { loadTests, points } = store.within({ project });
    for (const id of ["damaged", "old"]) {
      await loadTests.create(loadTest(id));
      await points.append(batchOf([sample("a", id === "old" ? 1000 : 2000)], { loadTestId: id }));
    }
    await loadTests.create(loadTest("new"));
    await points.append(batchOf([sample("a", nowMs / 1000)], { loadTestId: "new" }));
  }
  const damaged = new UserError("damaged-store", "block 7 is damaged");
  const openDamaged = (inner: Store): Store => ({
    ...inner,
    within: (scope) => openDamaged(store.within(scope)),
    points: {
      ...inner.points,
      downsample: async (id) => {
        if (id === "damaged") throw damaged;
        return inner.points.downsample(id);
      },
    },
  });
  const errors: unknown[] = [];
  const log = { info: () => undefined, warn: () => undefined, error: errors.push.bind(errors) };
  const limits = { keepSecondsDays: 30, keepEnvironmentDays: 7 };
  const about = { log, now: () => nowMs, record: async () => {} };
  await startRetention(openDamaged(store), limits, new Map(), about).stop();
  for (const project of [undefined, "web"]) {
    const { loadTests } = store.within({ project });
    expect(await loadTests.find("old")).toMatchObject({ secondsPerPoint: 60 });
    expect(await loadTests.find("damaged")).toMatchObject({ secondsPerPoint: 1 });
  }
  expect(errors).toContainEqual({ err: damaged });
});
