/** A load test read source by source: each as if it were alone, all from one snapshot. */

import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Endpoint } from "../../../src/model/load-test.ts";
import { ALL_SECONDS } from "../../../src/model/columns.ts";
import type { Role } from "../../../src/model/role.ts";
import type { PointBatch, Store } from "../../../src/store/store.ts";
import {
  batchOf,
  collect,
  expectedSeries,
  type LabelledSample,
  published,
  sample,
  type Series,
  endpointsOf,
  snapshotOf,
} from "../../support/batches.ts";
import { detailed } from "../../support/details.ts";
import { loadTest } from "../../support/load-tests.ts";
import { samplesArbitrary } from "../../support/plain-points.ts";
import type { SourceReading, SourcesSnapshot } from "../../../src/store/snapshot.ts";
import { randomCases } from "../../support/random-cases.ts";

/**
 * Ids whose order by UTF-16 differs from that by UTF-8; the first is a file, the other a sender.
 */
const [FILE, SENDER] = ["\uff5e", "\u{1f319}"] as const;

const STAGED = { sourceId: FILE, visibility: "staged" } as const;

async function sourcesOf(store: Store, loadTestId = "run"): Promise<SourcesSnapshot> {
  const snapshot = await store.points.snapshotBySource(loadTestId);
  if (snapshot === undefined) throw new Error(`no load test "${loadTestId}"`);
  return snapshot;
}

async function ownEndpoints(source: SourceReading): Promise<readonly Endpoint[]> {
  return (await source.endpoints()).map(({ endpoint }) => endpoint);
}

async function readSeries(source: SourceReading): Promise<[string, Series][]> {
  const endpoints = await ownEndpoints(source);
  const series = await collect(source.read(endpoints, ALL_SECONDS, "distribution"));
  const sums = await collect(source.read(endpoints, ALL_SECONDS, "sums"));
  expect(series).toMatchObject(sums);
  return series.map(({ endpoint, columns }) => [endpoint.label, columns]);
}

async function readDetails(source: SourceReading): Promise<readonly unknown[]> {
  const failures = await collect(source.failures(await ownEndpoints(source), ALL_SECONDS));
  const users = await collect(source.users(ALL_SECONDS));
  return [
    failures.flatMap(({ kinds, requests }) => [kinds, [...requests]]),
    users.map(({ sourceId, generator, active }) => [sourceId, generator, [...active]]),
  ];
}

function labelled(label: (endpoint: number) => string) {
  return samplesArbitrary.map((samples) =>
    samples.map(({ endpoint, ...rest }): LabelledSample => ({ ...rest, label: label(endpoint) })),
  );
}

export function sourcePartsConform(open: () => Promise<Store>): void {
  async function openWithRun(): Promise<Store> {
    const store = await open();
    await store.loadTests.create(loadTest("run"));
    return store;
  }

  async function withFileAndSender(
    ofFile: Partial<PointBatch> = {},
    ofSender: Partial<PointBatch> = {},
  ): Promise<Store> {
    const store = await openWithRun();
    await store.points.append({ ...batchOf([sample("a", 1)], STAGED), ...ofFile });
    await store.points.publish(published(FILE));
    const about = { sourceId: SENDER, format: "lines" };
    await store.points.append({ ...batchOf([sample("a", 2)], about), ...ofSender });
    return store;
  }

  test("an unknown load test has no sources, and one without data none of them", async () => {
    const store = await openWithRun();
    expect(await store.points.snapshotBySource("other")).toBeUndefined();
    const { loadTest: of, sources, release } = await sourcesOf(store);
    expect([of, sources]).toEqual([loadTest("run"), []]);
    release();
  });

  test("visible sources are told by id, files as they were published, senders with their format", async () => {
    const store = await withFileAndSender();
    await store.points.append(batchOf([sample("x", 1)], { ...STAGED, sourceId: "staged" }));
    await store.points.append(batchOf([sample("x", 1)], { sourceId: "withdrawn" }));
    await store.points.withdraw("run", "withdrawn");
    await store.points.append(batchOf([sample("x", 1)], { ...STAGED, sourceId: "short" }));
    await store.points.publish(published("short"));
    await store.points.publish(published("longer"), ["short"]);
    await store.points.append(batchOf([sample("x", 1)], { sourceId: "plain" }));
    const { sources, release } = await sourcesOf(store);
    const told = sources.map(({ sourceId, published: file, format }) => [sourceId, file, format]);
    expect(told).toEqual([
      ["longer", published("longer"), "test"],
      ["plain", undefined, undefined],
      [FILE, published(FILE), "test"],
      [SENDER, undefined, "lines"],
    ]);
    expect(await sources[0]?.endpoints()).toEqual([]);
    release();
  });

  test("a live source leaves unrecorded what its last batch says that it does", async () => {
    const store = await openWithRun();
    const said = [["sizes", "users"], ["sizes"], undefined, []] as const;
    const told: unknown[] = [];
    for (const [sequence, unrecorded] of said.entries()) {
      const batch = batchOf([sample("a", 1)], { sourceId: SENDER, sequence });
      await store.points.append({ ...batch, unrecorded });
      // The same batch once more changes nothing.
      expect(await store.points.append({ ...batch, unrecorded: [] })).toEqual({ duplicate: true });
      const { sources, release } = await sourcesOf(store);
      told.push(sources[0]?.unrecorded);
      release();
    }
    const snapshot = await store.points.snapshot("run");
    expect(await snapshot?.sources()).toMatchObject([{ sourceId: SENDER, unrecorded: [] }]);
    snapshot?.release();
    expect(told).toEqual([["sizes", "users"], ["sizes"], ["sizes"], []]);
  });

  test("a source stays readable, whatever its senders say that they could not store", async () => {
    const store = await openWithRun();
    const name = "\u{1f319}".repeat(1000);
    const unreadValues = [
      { name, values: 1 },
      { name: `${name}x`, values: 2 },
    ];
    const most = { rejectedRows: Number.MAX_SAFE_INTEGER };
    const about = { sourceId: SENDER };
    const append = (sequence: number, quality: PointBatch["quality"]) =>
      store.points.append({ ...batchOf([sample("a", 1)], { ...about, sequence }), quality });
    await append(0, { rejectedRows: 0, unreadValues });
    await append(1, most);
    await expect(append(2, { rejectedRows: 1 })).rejects.toMatchObject({ code: "sum-too-large" });
    const [source] = await store.points.liveSources("run");
    const cut = { name: "\u{1f319}".repeat(512), values: 3 };
    expect(source?.quality).toEqual({ ...most, unreadValues: [cut] });
  });

  test("rows that a live source did not count as sent add up once for each batch", async () => {
    const store = await openWithRun();
    const said = [
      { rejectedRows: 2, repairedRows: { "time-unknown": 1 } },
      undefined,
      { rejectedRows: 1, measurements: [{ name: "cpu", values: 3 }] },
      { rejectedRows: 0, repairedRows: { "time-unknown": 4, "size-unknown": 1 } },
    ] as const;
    const total = {
      rejectedRows: 3,
      repairedRows: { "time-unknown": 5, "size-unknown": 1 },
      measurements: [{ name: "cpu", values: 3 }],
    };
    for (const [sequence, quality] of said.entries()) {
      // The last one has nothing else.
      const samples = sequence === 3 ? [] : [sample("a", 1)];
      const batch = batchOf(samples, { sourceId: SENDER, sequence });
      await store.points.append({ ...batch, quality });
      expect(await store.points.append({ ...batch, quality })).toEqual({ duplicate: true });
    }
    const { sources, release } = await sourcesOf(store);
    expect(sources).toMatchObject([{ sourceId: SENDER, quality: total }]);
    release();
    const live = [{ sourceId: SENDER, lastSequence: 3, quality: total }];
    expect(await store.points.liveSources("run")).toEqual(live);
  });

  test("each source answers its own samples, however many share endpoints and seconds", async () => {
    const store = await open();
    let runs = 0;
    const samples = labelled((endpoint) => `label ${endpoint}`);
    const property = fc.asyncProperty(samples, samples, samples, async (file, first, second) => {
      const loadTestId = `run-${runs++}`;
      await store.loadTests.create(loadTest(loadTestId));
      await store.points.append(batchOf(file, { loadTestId, ...STAGED }));
      await store.points.publish(published(FILE, loadTestId));
      for (const [sequence, part] of [first, second].entries()) {
        await store.points.append(batchOf(part, { loadTestId, sourceId: SENDER, sequence }));
      }
      const { sources, release } = await sourcesOf(store, loadTestId);
      const found = [];
      for (const source of sources) found.push([source.sourceId, await readSeries(source)]);
      release();
      expect(found).toEqual([
        [FILE, expectedSeries(file)],
        [SENDER, expectedSeries([...first, ...second])],
      ]);
    });
    await fc.assert(property, { numRuns: randomCases(30) });
  });

  test("numbers are those of the load test, and endpoints of other sources read as empty", async () => {
    const store = await withFileAndSender(batchOf([sample("b", 1)], STAGED));
    const whole = await snapshotOf(store);
    const endpoints = await endpointsOf(whole);
    whole.release();
    const { sources, release } = await sourcesOf(store);
    const found = [];
    for (const source of sources) {
      const own = await ownEndpoints(source);
      const series = await collect(source.read(endpoints, ALL_SECONDS, "sums"));
      found.push([
        own.map(({ number }) => number),
        series.map(({ columns }) => [...columns.second]),
      ]);
    }
    release();
    const [a, b] = endpoints.map(({ number }) => number);
    expect(found).toEqual([
      [[b], [[], [1]]],
      [[a], [[2], []]],
    ]);
  });

  test("failures and users are those of the source, and endpoints those with a failure too", async () => {
    const about = { loadTestId: "run", sourceId: FILE, visibility: "staged" } as const;
    const store = await withFileAndSender(detailed(about));
    const { sources, release } = await sourcesOf(store);
    const found = [];
    for (const source of sources) found.push(await readDetails(source));
    release();
    expect(found).toEqual([
      [[[{ code: "503", message: "" }], [2]], [[FILE, "host", [7]]]],
      [[[], []], []],
    ]);
  });

  test.each<[ofFile: Role | undefined, ofSender: Role]>([
    ["unclear", "transaction"],
    ["subresult", "unclear"],
    ["transaction", "request"],
    [undefined, "subresult"],
  ])("a source that tells %s beside one that tells %s keeps it", async (ofFile, ofSender) => {
    const store = await withFileAndSender(ofFile && { roles: [ofFile] }, { roles: [ofSender] });
    const { sources, release } = await sourcesOf(store);
    const roles = await Promise.all(sources.map((source) => source.endpoints()));
    release();
    expect(roles.flat().map(({ role }) => role)).toEqual([ofFile ?? "request", ofSender]);
  });

  test("of several batches of a source the strongest role counts", async () => {
    const store = await withFileAndSender({}, { roles: ["unclear"] });
    const further = batchOf([sample("a", 3)], { sourceId: SENDER, sequence: 1 });
    await store.points.append({ ...further, roles: ["subresult"] });
    const { sources, release } = await sourcesOf(store);
    expect(await sources[1]?.endpoints()).toMatchObject([
      { endpoint: { label: "a" }, role: "subresult" },
    ]);
    release();
  });

  test("later writes do not change what it reads", async () => {
    const store = await withFileAndSender();
    const { sources, release } = await sourcesOf(store);
    await store.points.append(batchOf([sample("a", 9)], { sourceId: SENDER, sequence: 1 }));
    await store.points.publish(published("longer"), [FILE]);
    await store.loadTests.delete("run");
    const series = [];
    for (const source of sources) series.push(...(await readSeries(source)));
    expect(series).toEqual([
      ...expectedSeries([sample("a", 1)]),
      ...expectedSeries([sample("a", 2)]),
    ]);
    release();
  });
}
