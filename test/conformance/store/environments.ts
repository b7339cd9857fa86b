/** What is measured of an environment all the time shows in load tests that name it, for their own time. */

import { expect, test } from "vitest";
import { EnvironmentCopier } from "../../../src/catalogue/copy-environments.ts";
import { openProject, projectsIn } from "../../../src/catalogue/environment-stretch.ts";
import { findOldHours } from "../../../src/catalogue/prune-load-tests.ts";
import type { LiveTarget } from "../../../src/live/live-target.ts";
import { createLineWriter } from "../../../src/live/write-lines.ts";
import { readMeasures, readMeasureSeries } from "../../../src/query/read-measures.ts";
import { revisionOf } from "../../../src/series/open-snapshot.ts";
import type { Store } from "../../../src/store/store.ts";
import { batchOf, sample } from "../../support/batches.ts";
import { loadTest } from "../../support/load-tests.ts";
import type { OpenEmptyStore } from "../store.ts";

/** 150 s before an hour begins, so that the load test reaches into the next one. */
const START = Date.UTC(2026, 10, 21, 13) / 1000 - 150;
const [FROM, UNTIL] = [START + 100, START + 199];
const DAY_MS = 24 * 3_600_000;

/** A gauge of two hosts, one of them without a value in each third second. */
function cpuOf(second: number): readonly (readonly [host: string, value: number])[] {
  const of = (host: number) => ((second * 7919 * host) % 1000) / 10;
  return second % 3 === 0
    ? [["a", of(1)]]
    : [
        ["a", of(1)],
        ["b", of(3)],
      ];
}

const lineOf = (second: number): string =>
  cpuOf(second)
    .map(([host, value]) => `cpu,host=${host} usage=${value} ${second}\n`)
    .join("");

const seconds = (from: number, until: number): number[] =>
  Array.from({ length: until - from + 1 }, (_, at) => from + at);

const linesOf = (from: number, until: number): string => seconds(from, until).map(lineOf).join("");

async function openWriting(open: OpenEmptyStore, project?: string) {
  let nowMs = (START + 300) * 1000;
  const now = (): number => nowMs;
  const store = await open({ now });
  const part = openProject(store, project);
  const writer = createLineWriter({ store: part, now });
  const write = (target: LiveTarget, lines: string) =>
    writer({
      target,
      chunks: (async function* () {
        yield Buffer.from(lines);
      })(),
      options: { precision: "s" },
      sender: "10.0.0.1",
    });
  const failed: unknown[] = [];
  const copier = new EnvironmentCopier(part, {
    now,
    failed: (id, error) => failed.push(id, error),
  });
  return {
    store,
    part,
    write,
    failed,
    copy: async () => copier.copyInto(await part.loadTests.list()),
    wait: (ms: number) => void (nowMs += ms),
    now,
  };
}

/** Creates `run`, in the environment, from `FROM` to `UNTIL`. */
async function run({ loadTests, points }: Store): Promise<void> {
  await loadTests.create({ ...loadTest("run"), environment: "staging" });
  const samples = [sample("a", FROM), sample("a", UNTIL)];
  await points.append(batchOf(samples, { loadTestId: "run" }));
}

const STAGING: LiveTarget = { environment: "staging" };

async function measured({ points }: Store, loadTestId: string): Promise<unknown> {
  const query = { loadTestId, range: undefined, name: "cpu.usage" };
  const figures = await readMeasures(points, query);
  const series = { ...query, resolutionSeconds: 1, isMerged: false, limit: 100 };
  const values = await readMeasureSeries(points, series);
  return { figures, values };
}

export function environmentsConform(open: OpenEmptyStore): void {
  test.each([undefined, "web"])(
    "a load test of project %s has exactly its own time of its environment, before and after that is deleted",
    async (project) => {
      const { part, write, copy, wait, now, failed } = await openWriting(open, project);
      const hours = part.within({ environment: "staging" });
      await run(part);
      const before = await revisionOf(part.points, "run");
      for (const from of seconds(0, 29)) {
        const own = seconds(START + from * 10, START + from * 10 + 9)
          .map(lineOf)
          .join("");
        expect((await write(STAGING, own)).isRepeated).toBe(false);
        expect((await write(STAGING, own)).isRepeated).toBe(true);
      }
      // What a load test has that got nothing but these seconds.
      await write({ loadTestId: "direct" }, seconds(FROM, UNTIL).map(lineOf).join(""));
      const want = await measured(part, "direct");
      const values = seconds(FROM, UNTIL).flatMap((second) => cpuOf(second));
      const ofA = values.filter(([host]) => host === "a").map(([, value]) => value);
      expect(want).toMatchObject({
        figures: {
          measures: [{ count: 100, max: Math.max(...ofA), from: FROM, until: UNTIL }, {}],
        },
      });
      expect(await measured(part, "run")).toEqual(want);
      expect(await revisionOf(part.points, "run")).not.toBe(before);

      await part.loadTests.update("run", { finishedAtMs: now() });
      for (let time = 0; time < 2; time++) {
        await copy();
        expect(await measured(part, "run")).toEqual(want);
      }
      expect(await part.points.liveSources("run")).toContainEqual({
        sourceId: `environment-from.${FROM}.staging`,
        lastSequence: UNTIL + 1,
      });
      wait(7 * DAY_MS);
      expect(findOldHours(await hours.loadTests.list(), 7, now())).toEqual([]);
      wait(60_000);
      const old = findOldHours(await hours.loadTests.list(), 7, now());
      expect(old).toHaveLength(2);
      for (const { loadTest: hour } of old) await hours.loadTests.delete(hour.id);
      await copy();
      expect(await measured(part, "run")).toEqual(want);
      expect(failed).toEqual([]);
    },
  );

  test("an environment is in no list, and not in those of other projects", async () => {
    const { store, part, write, copy } = await openWriting(open, "web");
    await write(STAGING, lineOf(FROM));
    const other = openProject(store, undefined);
    for (const each of [part, other]) {
      expect(await each.loadTests.list()).toEqual([]);
      await run(each);
    }
    expect(await projectsIn(store)).toEqual([undefined, "web"]);
    await copy();
    expect(await measured(part, "run")).toMatchObject({
      figures: { measures: [{ count: 1 }, { count: 1 }] },
    });
    expect(await measured(other, "run")).toMatchObject({ figures: { measures: [] } });
    for (const each of [part, other]) {
      expect(await each.loadTests.find("2026-11-21T12")).toBeUndefined();
    }
  });

  test("a load test that is running gets its hours, and the rest when it is over", async () => {
    const { part, write, copy, wait } = await openWriting(open);
    await write(
      STAGING,
      seconds(START, START + 299)
        .map(lineOf)
        .join(""),
    );
    await part.loadTests.create({ ...loadTest("run"), environment: "staging" });
    const samples = [sample("a", FROM), sample("a", UNTIL)];
    await part.points.append(batchOf(samples, { loadTestId: "run" }));
    const sources = async () =>
      (await part.points.liveSources("run")).map(({ lastSequence }) => lastSequence);
    const shown = await measured(part, "run");
    await copy();
    expect(await sources()).toContain(START + 150);
    expect(await measured(part, "run")).toEqual(shown);
    wait(60_000);
    await copy();
    expect(await sources()).toContain(UNTIL + 1);
    expect(await measured(part, "run")).toEqual(shown);
    // It goes on, and so does what is copied.
    await part.points.append(
      batchOf([sample("a", UNTIL + 50)], { loadTestId: "run", sequence: 1 }),
    );
    await write(
      { loadTestId: "direct" },
      seconds(FROM, UNTIL + 50)
        .map(lineOf)
        .join(""),
    );
    for (let time = 0; time < 2; time++) {
      expect(await measured(part, "run")).toEqual(await measured(part, "direct"));
      wait(120_000);
      await copy();
    }
    expect(await sources()).toContain(UNTIL + 51);
  });

  test("requests that come after it was copied get the measures of their earlier and later time", async () => {
    const { part, write, copy, wait } = await openWriting(open);
    await write(STAGING, linesOf(START, START + 299));
    await run(part);
    wait(120_000);
    await copy();
    const [from, until] = [FROM - 60, UNTIL + 50];
    const others = [sample("a", from), sample("a", until)];
    await part.points.append(batchOf(others, { loadTestId: "run", sequence: 1 }));
    await write({ loadTestId: "direct" }, linesOf(from, until));
    const sums = async (id: string) => {
      const query = { loadTestId: id, range: undefined, name: "cpu.usage" };
      const { measures } = await readMeasures(part.points, query);
      return measures.map(({ count, sum, from: first, until: last }) => [count, sum, first, last]);
    };
    for (let time = 0; time < 3; time++) {
      expect(await sums("run")).toEqual(await sums("direct"));
      wait(120_000);
      await copy();
    }
    const hours = part.within({ environment: "staging" });
    for (const hour of await hours.loadTests.list()) await hours.loadTests.delete(hour.id);
    expect(await sums("run")).toEqual(await sums("direct"));
  });

  test.each([
    ["requests", `http_req_duration,name=/a,status=200 value=5 ${FROM}\n`],
    ["users", `vus value=5 ${FROM}\n`],
    ["events", `events text="started" ${FROM}\n`],
    [
      "of 49 hours",
      seconds(1, 49)
        .map((hour) => `cpu usage=1 ${FROM + hour * 3600}\n`)
        .join(""),
    ],
  ])("an environment refuses %s, and stores nothing of them", async (_, lines) => {
    const { store, write } = await openWriting(open);
    await expect(write(STAGING, lines)).rejects.toMatchObject({ code: "bad-parameter" });
    expect(await store.scopes()).toEqual([]);
  });
}
