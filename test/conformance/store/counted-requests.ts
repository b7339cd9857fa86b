/**
 * The requests of a load test, without rows that repeat others according to their visible roles.
 */

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { derivedRole, type Role, ROLES } from "../../../src/model/role.ts";
import type { PointBatch, Store } from "../../../src/store/store.ts";
import { batchOf, published, sample } from "../../support/batches.ts";
import { failure } from "../../support/details.ts";
import { loadTest } from "../../support/load-tests.ts";
import { failureTable } from "../../support/plain-details.ts";
import { randomCases } from "../../support/random-cases.ts";

type Roles = Readonly<Record<string, Role>>;
type About = Partial<Omit<PointBatch, "labels" | "points" | "roles">>;

/** Two requests per label, one of them failed. */
function batchWith(roles: Roles, about: About = {}): PointBatch {
  const samples = Object.keys(roles).flatMap((label) => [
    sample(label, 3),
    { ...sample(label, 4), failed: true },
  ]);
  return { ...batchOf(samples, about), roles: Object.values(roles) };
}

/** Requests and failed requests, which `find` and `list` must report alike. */
async function counted(store: Store, loadTestId = "run"): Promise<readonly unknown[]> {
  const found = await store.loadTests.find(loadTestId);
  const listed = (await store.loadTests.list()).find(({ id }) => id === loadTestId);
  expect(listed).toEqual(found);
  return [found?.requests, found?.failedRequests];
}

const isLive = (sourceId: string): boolean => sourceId.startsWith("live");

const staged = { sourceId: "file", visibility: "staged" } as const;

export function requestsConform(open: () => Promise<Store>): void {
  async function openWithRun(): Promise<Store> {
    const store = await open();
    await store.loadTests.create(loadTest("run"));
    return store;
  }

  test("transactions and sub-results are not counted", async () => {
    const store = await openWithRun();
    const roles = { a: "request", b: "transaction", c: "subresult", d: "unclear" } as const;
    await store.points.append(batchWith(roles));
    expect(await counted(store)).toEqual([4, 2]);
    await store.points.append(batchWith({ b: "transaction" }, { sequence: 1 }));
    expect(await counted(store)).toEqual([4, 2]);
  });

  test("where nothing else is there they are", async () => {
    const store = await openWithRun();
    await store.points.append(batchWith({ b: "transaction", c: "subresult" }));
    expect(await counted(store)).toEqual([4, 2]);
    const failures = failureTable([failure(0, "503", 3)]);
    const request = batchOf([], { sequence: 1, failures });
    await store.points.append({ ...request, labels: ["a"] });
    expect(await counted(store)).toEqual([0, 0]);
  });

  test("a later batch can tell that rows are requests, before and after it", async () => {
    const store = await openWithRun();
    await store.points.append(batchWith({ a: "request", b: "transaction" }));
    await store.points.append(batchWith({ b: "request" }, { sequence: 1 }));
    expect(await counted(store)).toEqual([6, 3]);
    await store.points.append(batchWith({ b: "transaction" }, { sequence: 2 }));
    expect(await counted(store)).toEqual([8, 4]);
  });

  test("a source counts, and tells roles, while it is visible", async () => {
    const store = await openWithRun();
    await store.points.append(batchWith({ a: "request", b: "transaction" }));
    await store.points.append(batchWith({ a: "transaction", b: "unclear" }, staged));
    await store.points.append(batchWith({ b: "request" }, { ...staged, sequence: 1 }));
    await store.points.append(batchWith({ c: "subresult" }, { ...staged, sequence: 2 }));
    expect(await counted(store)).toEqual([2, 1]);
    await store.points.publish(published("file"));
    expect(await counted(store)).toEqual([10, 5]);
    const grown = { ...staged, sourceId: "grown" };
    await store.points.append(batchWith({ a: "request", b: "transaction" }, grown));
    await store.points.publish(published("grown"), ["file"]);
    expect(await counted(store)).toEqual([4, 2]);
    await store.points.withdraw("run", "sender");
    expect(await counted(store)).toEqual([2, 1]);
  });

  test("whatever comes, the strongest role of each endpoint decides", async () => {
    const store = await open();
    let runs = 0;
    const sources = ["live one", "live two", "file one", "file two"];
    const told = fc.array(
      fc.record({
        sourceId: fc.constantFrom(...sources),
        roles: fc.dictionary(fc.constantFrom("a", "b", "c"), fc.constantFrom(...ROLES)),
      }),
      { minLength: 1, maxLength: 8 },
    );
    const property = fc.asyncProperty(told, fc.subarray(sources), async (batches, gone) => {
      const loadTestId = `run-${runs++}`;
      await store.loadTests.create(loadTest(loadTestId));
      for (const [sourceId, own] of Map.groupBy(batches, (batch) => batch.sourceId)) {
        const visibility = isLive(sourceId) ? "live" : "staged";
        for (const [sequence, { roles }] of own.entries()) {
          const about = { loadTestId, sourceId, visibility, sequence } as const;
          await store.points.append(batchWith(roles, about));
        }
        if (!isLive(sourceId)) await store.points.publish(published(sourceId, loadTestId));
      }
      expect(await counted(store, loadTestId)).toEqual(expectedOf(batches));
      for (const sourceId of gone) await store.points.withdraw(loadTestId, sourceId);
      const left = batches.filter(({ sourceId }) => !gone.includes(sourceId));
      expect(await counted(store, loadTestId)).toEqual(expectedOf(left));
    });
    await fc.assert(property, { numRuns: randomCases(30) });
  });
}

/** By the definition of roles: each batch with a label has two requests of it, one failed. */
function expectedOf(batches: readonly { readonly roles: Roles }[]): readonly number[] {
  const labels = [...new Set(batches.flatMap(({ roles }) => Object.keys(roles)))];
  const rows = labels.map((label) => {
    const own = batches.flatMap(({ roles }) => roles[label] ?? []);
    return { role: ROLES.findLast((role) => own.includes(role)), batches: own.length };
  });
  const requests = rows.filter(({ role }) => derivedRole(role) === undefined);
  const whole = (requests.length === 0 ? rows : requests).reduce(
    (sum, row) => sum + row.batches,
    0,
  );
  return [2 * whole, whole];
}
