/** What users set on a load test: name, tags, pinned, finished. */

import { expect, test } from "vitest";
import type { LoadTestChange } from "../../../src/model/load-test.ts";
import { batchOf, published, sample, seriesIn, snapshotOf } from "../../support/batches.ts";
import { EVERY_ATTRIBUTE, loadTest } from "../../support/load-tests.ts";
import type { OpenEmptyStore } from "../store.ts";

export function changesConform(open: OpenEmptyStore): void {
  const changes: [LoadTestChange, object][] = [
    [{}, {}],
    [{ name: 'Sunday "night" \u{1f319}' }, { name: 'Sunday "night" \u{1f319}' }],
    [{ pinned: true }, { pinned: true }],
    [{ finishedAtMs: 5 }, { finishedAtMs: 5 }],
    [{ tags: ["z", "a", "z"] }, { tags: ["a", "z"] }],
    [{ addedTags: ["m", "b"] }, { tags: ["a", "b", "m", "z"] }],
    [{ removedTags: ["b", "none"] }, { tags: ["a", "m", "z"] }],
    [{ tags: ["x", "y"], addedTags: ["a"], removedTags: ["y"] }, { tags: ["a", "x"] }],
    [{ finishedAtMs: 9 }, { finishedAtMs: 5 }],
    [{ finishedAtMs: undefined }, { finishedAtMs: undefined }],
    [
      { finishedAtMs: 9, pinned: false },
      { finishedAtMs: 9, pinned: false },
    ],
    [{ tags: [] }, { tags: [] }],
    [{ environment: "staging" }, { environment: "staging" }],
    [{ secondsPerPoint: 60 }, { secondsPerPoint: 60 }],
    [
      { name: "moved", environment: "prod" },
      { name: "moved", environment: "prod" },
    ],
  ];

  test("changes follow each other, each leaving alone what it does not name", async () => {
    const { loadTests } = await open();
    await loadTests.create(loadTest("run"));
    await loadTests.create(loadTest("other"));
    let expected: object = loadTest("run");
    for (const [change, difference] of changes) {
      expected = { ...expected, ...difference };
      expect(await loadTests.update("run", change)).toMatchObject(expected);
      expect(await loadTests.find("run")).toMatchObject(expected);
    }
    expect(await loadTests.find("other")).toMatchObject(loadTest("other"));
    await loadTests.update("run", { environment: undefined });
    expect((await loadTests.find("run"))?.environment).toBeUndefined();
  });

  test("events are stored by time, each once, and can be removed and replaced", async () => {
    const { loadTests } = await open();
    await loadTests.create(loadTest("run"));
    const [ramp, deploy] = [
      { atMs: 2000, text: "ramp \u{1f319}" },
      { atMs: 1000, text: 'deployed "1.4"' },
    ];
    const textsOf = async () => (await loadTests.find("run"))?.events?.map(({ text }) => text);
    await loadTests.update("run", { addedEvents: [ramp] });
    await loadTests.update("run", { addedEvents: [deploy, ramp], name: "other" });
    expect(await textsOf()).toEqual([deploy.text, ramp.text]);
    const { events = [] } = (await loadTests.find("run")) ?? {};
    expect(events).toMatchObject([deploy, ramp]);
    await loadTests.update("run", { removedEvents: [events[0]?.id ?? "", "none"] });
    expect(await textsOf()).toEqual([ramp.text]);
    await loadTests.update("run", { events: [] });
    expect(await loadTests.find("run")).not.toHaveProperty("events");
    await loadTests.update("run", { events });
    expect(await textsOf()).toEqual([deploy.text, ramp.text]);
  });

  test("a note keeps its author, time and id when it is changed or added again", async () => {
    const { loadTests } = await open();
    await loadTests.create(loadTest("run"));
    const note = {
      atMs: 1000,
      untilMs: 2000,
      text: "cold",
      endpoint: "GET /",
      author: "ann",
      writtenAtMs: 5000,
    };
    await loadTests.update("run", { addedEvents: [note] });
    const id = (await loadTests.find("run"))?.events?.[0]?.id ?? "";
    const change = { id, text: "cold cache", untilMs: undefined };
    await loadTests.update("run", { changedEvents: [change, { id: "none", text: "x" }] });
    await loadTests.update("run", { addedEvents: [{ ...note, author: "bob" }] });
    const { untilMs: _, ...kept } = note;
    expect((await loadTests.find("run"))?.events).toEqual([{ ...kept, id, text: "cold cache" }]);
  });

  test("at most 1,000 events are stored", async () => {
    const { loadTests } = await open();
    await loadTests.create(loadTest("run"));
    const many = Array.from({ length: 1000 }, (_, atMs) => ({ atMs, text: "a" }));
    await loadTests.update("run", { addedEvents: many });
    await expect(
      loadTests.update("run", { addedEvents: [{ atMs: 1, text: "b" }] }),
    ).rejects.toMatchObject({ code: "too-many-events" });
    await loadTests.update("run", { addedEvents: many.slice(0, 3), name: "still" });
    expect((await loadTests.find("run"))?.events).toHaveLength(1000);
  });

  test("every attribute is stored, when created and when changed", async () => {
    const { loadTests } = await open();
    await loadTests.create({ ...loadTest("created"), ...EVERY_ATTRIBUTE });
    await loadTests.create(loadTest("changed"));
    await loadTests.update("changed", EVERY_ATTRIBUTE);
    for (const id of ["created", "changed"]) {
      expect(await loadTests.find(id)).toMatchObject({ id, ...EVERY_ATTRIBUTE });
    }
  });

  test("a change of what is said changes nothing of what was measured", async () => {
    const store = await open();
    await store.loadTests.create(loadTest("run"));
    await store.points.append(batchOf([sample("a", 3), sample("b", 9)]));
    const before = await store.loadTests.find("run");
    await store.loadTests.update("run", { tags: ["a"], pinned: true, finishedAtMs: 7 });
    expect(await store.loadTests.find("run")).toEqual({
      ...before,
      tags: ["a"],
      pinned: true,
      finishedAtMs: 7,
    });
  });

  test("the clock is noted when data become visible, and only then", async () => {
    let atMs = 100;
    const store = await open({ now: () => atMs });
    const lastDataAtMs = async () => (await store.loadTests.find("run"))?.lastDataAtMs;
    await store.loadTests.create(loadTest("run"));
    const staged = batchOf([sample("a", 3)], { sourceId: "file", visibility: "staged" });
    await store.points.append(staged);
    expect(await lastDataAtMs()).toBeUndefined();
    await store.points.publish(published("file"));
    expect(await lastDataAtMs()).toBe(100);
    atMs = 200;
    const live = batchOf([sample("a", 4)]);
    await store.points.append(live);
    expect(await lastDataAtMs()).toBe(200);
    atMs = 300;
    await store.points.append(live);
    await store.loadTests.update("run", { name: "b" });
    expect(await lastDataAtMs()).toBe(200);
  });

  test("setting the clock ahead or back does not end a read", async () => {
    let nowMs = 1_700_000_000_000;
    const store = await open({ now: () => nowMs });
    await store.loadTests.create(loadTest("run"));
    for (const [sequence, hours] of [1, -2].entries()) {
      await store.points.append(batchOf([sample("a", sequence)], { sequence }));
      const snapshot = await snapshotOf(store);
      nowMs += hours * 3_600_000;
      const series = await seriesIn(snapshot);
      expect(series.map(([label, { requests }]) => [label, requests.length])).toEqual([
        ["a", sequence + 1],
      ]);
      snapshot.release();
    }
  });
}
