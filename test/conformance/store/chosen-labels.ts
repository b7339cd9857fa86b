/** Rows that an import was told to leave out, or to take for measures, stay stored: they can be turned back. */

import { expect, test } from "vitest";
import { chooseLabels } from "../../../src/catalogue/choose-labels.ts";
import type { LabelChoice } from "../../../src/decode/decoder.ts";
import { ALL_SECONDS } from "../../../src/model/columns.ts";
import type { StoredRole } from "../../../src/model/role.ts";
import { readMeasures } from "../../../src/query/read-measures.ts";
import { summarise } from "../../../src/query/open-summary.ts";
import { ALL_ENDPOINTS } from "../../../src/series/endpoint-selection.ts";
import type { PointBatch, Store } from "../../../src/store/store.ts";
import { batchOf, collect, endpointsOf, sample, snapshotOf } from "../../support/batches.ts";
import { HEADER, importInto } from "../../support/imports.ts";
import { loadTest } from "../../support/load-tests.ts";

/** Two requests per label, one of them failed. */
function batchWith(
  roles: Readonly<Record<string, StoredRole>>,
  about: Partial<PointBatch> = {},
): PointBatch {
  const samples = Object.keys(roles).flatMap((label) => [
    sample(label, 3),
    { ...sample(label, 4), failed: true },
  ]);
  return { ...batchOf(samples, about), roles: Object.values(roles) };
}

/** Endpoints with their roles, and the counts of the list. */
async function shown(store: Store): Promise<unknown> {
  const snapshot = await snapshotOf(store);
  const endpoints = await endpointsOf(snapshot).finally(() => snapshot.release());
  const summary = await store.loadTests.find("run");
  const roles = Object.fromEntries(endpoints.map(({ label, role }) => [label, role]));
  return [roles, summary?.endpoints, summary?.requests, summary?.failedRequests];
}

/** Requests with times to the first token, debug samplers and a transaction. */
const COLUMNS = `${HEADER.trim()},responseMessage,dataType,Latency\n`;
const SUM = '"Number of samples in transaction : 1, number of failing samples : 0"';
const FILE =
  COLUMNS +
  Array.from({ length: 20 }, (_, at) => [
    `17000000${10 + at}000,100,chat,${at % 5 !== 0},10,OK,text,9`,
    `17000000${10 + at}000,${200 + 10 * at},ttft chat,true,0,OK,text,9`,
    `17000000${10 + at}500,3,Debug Sampler,${at % 2 === 0},7,OK,text,9`,
    `17000000${10 + at}500,130,Debug Sum,true,7,${SUM},,9`,
  ])
    .flat()
    .map((row) => `${row}\n`)
    .join("");

/** All that can be read of the run, but for what differs with every import. */
async function everything(store: Store): Promise<unknown> {
  const query = { loadTestId: "run", selection: ALL_ENDPOINTS, apdexMicros: undefined };
  const { revision: _, ...summary } = await summarise(store.points, { ...query, range: undefined });
  const snapshot = await snapshotOf(store);
  const endpoints = await endpointsOf(snapshot);
  const failures = await collect(snapshot.failures(endpoints, ALL_SECONDS));
  snapshot.release();
  const {
    lastDataAtMs: __,
    createdAtMs: ___,
    ...listed
  } = (await store.loadTests.find("run")) ?? {};
  const [source] = await store.points.sources("run");
  const { sourceId: ____, ...published } = source ?? {};
  return {
    summary,
    listed,
    failures: failures.map(({ endpoint, ...each }) => ({ ...each, label: endpoint.label })),
    measures: await readMeasures(store.points, { loadTestId: "run", range: undefined }),
    published,
  };
}

export function chosenLabelsConform(open: () => Promise<Store>): void {
  async function openWithRun(): Promise<Store> {
    const store = await open();
    await store.loadTests.create(loadTest("run"));
    return store;
  }

  test.each<[Readonly<Record<string, StoredRole>>, unknown]>([
    [
      { a: "ignored-request", b: "measured-transaction", c: "request", d: "transaction" },
      [{ c: undefined, d: "transaction" }, 2, 2, 1],
    ],
    // Transactions count if there is nothing else.
    [{ a: "ignored-request", d: "transaction" }, [{ d: "transaction" }, 1, 2, 1]],
    [{ a: "ignored-request", b: "measured-unclear" }, [{}, 0, 0, 0]],
  ])("rows with the roles %j are hidden", async (roles, expected) => {
    const store = await openWithRun();
    await store.points.append(batchWith(roles));
    expect(await shown(store)).toEqual(expected);
  });

  test("a run begins and ends with rows that are not hidden", async () => {
    const store = await openWithRun();
    const samples = [sample("warm-up", 3), sample("a", 5), sample("a", 8), sample("probe", 9)];
    const roles: StoredRole[] = ["ignored-request", "request", "measured-request"];
    await store.points.append({ ...batchOf(samples), roles });
    expect(await store.loadTests.find("run")).toMatchObject({ from: 5, until: 8 });
    await store.points.append({
      ...batchOf([sample("warm-up", 2)], { sequence: 1 }),
      roles: ["ignored-request"],
    });
    expect(await store.loadTests.find("run")).toMatchObject({ from: 5, until: 8 });
  });

  test("rows count if a source does not hide them", async () => {
    const store = await openWithRun();
    await store.points.append(batchWith({ a: "ignored-request", b: "ignored-request" }));
    await store.points.append(batchWith({ a: "request" }, { sourceId: "other" }));
    expect(await shown(store)).toEqual([{ a: undefined }, 1, 4, 2]);
    await store.points.withdraw("run", "other");
    expect(await shown(store)).toEqual([{}, 0, 0, 0]);
  });

  test("labels chosen later are what an import would have made of them", async () => {
    const choices: readonly LabelChoice[] = [
      {},
      { ignored: ["Debug*"] },
      { ignored: ["Debug*"], measured: ["ttft *"] },
      { measured: ["*"] },
      { measured: ["Debug S*"], ignored: ["chat"] },
    ];
    const imported: unknown[] = [];
    for (const choice of choices) {
      const store = await open();
      await importInto(store, FILE, { choice });
      imported.push(await everything(store));
    }
    expect(new Set(imported.map((each) => JSON.stringify(each))).size).toBe(choices.length);
    const store = await open();
    await importInto(store, FILE, { choice: choices[2] as LabelChoice });
    for (const at of [0, 1, 3, 4, 2, 2, 0]) {
      const found = await store.loadTests.find("run");
      if (found === undefined) throw new Error("the run is missing");
      await chooseLabels(store.points, found, choices[at] as LabelChoice);
      expect(await everything(store)).toEqual(imported[at]);
    }
    expect(await importInto(store, FILE)).toMatchObject({ alreadyImported: true });
  });

  test("labels of a source that grows cannot be chosen", async () => {
    const store = await openWithRun();
    await store.points.append(batchWith({ a: "request", b: "request" }));
    const found = await store.loadTests.find("run");
    if (found === undefined) throw new Error("the run is missing");
    const refused = chooseLabels(store.points, found, { ignored: ["a"] });
    await expect(refused).rejects.toMatchObject({ code: "load-test-growing" });
    await chooseLabels(store.points, found, { ignored: ["c"] });
  });
}
