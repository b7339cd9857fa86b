/**
 * The role of an endpoint is the strongest in its visible batches, whatever is added or removed.
 */

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type Role, ROLES } from "../../../src/model/role.ts";
import type { PointBatch, Store } from "../../../src/store/store.ts";
import { batchOf, published, sample, snapshotOf, endpointsOf } from "../../support/batches.ts";
import { failureTable } from "../../support/plain-details.ts";
import { failure } from "../../support/details.ts";
import { loadTest } from "../../support/load-tests.ts";
import { randomCases } from "../../support/random-cases.ts";

type About = Partial<Omit<PointBatch, "labels" | "points" | "roles">>;

/** A point per label, with the role beside it. */
function batchWith(roles: Readonly<Record<string, Role>>, about: About = {}): PointBatch {
  const samples = Object.keys(roles).map((label) => sample(label, 3));
  return { ...batchOf(samples, about), roles: Object.values(roles) };
}

async function rolesIn(store: Store, loadTestId = "run"): Promise<Record<string, unknown>> {
  const snapshot = await snapshotOf(store, loadTestId);
  const endpoints = await endpointsOf(snapshot).finally(() => snapshot.release());
  return Object.fromEntries(endpoints.map(({ label, role }) => [label, role]));
}

export function rolesConform(open: () => Promise<Store>): void {
  async function openWithRun(): Promise<Store> {
    const store = await open();
    await store.loadTests.create(loadTest("run"));
    return store;
  }

  test("what is told is answered; what is unclear, or not told, counts as requests", async () => {
    const store = await openWithRun();
    const roles = { a: "request", b: "transaction", c: "subresult", d: "unclear" } as const;
    await store.points.append(batchWith(roles));
    await store.points.append(batchOf([sample("e", 3)], { sequence: 1 }));
    const expected = { a: undefined, b: "transaction", c: "subresult", d: undefined, e: undefined };
    expect(await rolesIn(store)).toEqual(expected);
  });

  test("in any order and cut, the strongest role counts", async () => {
    const store = await open();
    let runs = 0;
    const told = fc.array(
      fc.dictionary(fc.constantFrom("a", "b", "c"), fc.constantFrom(...ROLES), { maxKeys: 3 }),
      { minLength: 1, maxLength: 6 },
    );
    const property = fc.asyncProperty(told, async (batches) => {
      const loadTestId = `run-${runs++}`;
      await store.loadTests.create(loadTest(loadTestId));
      for (const [sequence, roles] of batches.entries()) {
        const sourceId = `sender ${sequence % 2}`;
        await store.points.append(batchWith(roles, { loadTestId, sourceId, sequence }));
      }
      for (const [label, role] of Object.entries(await rolesIn(store, loadTestId))) {
        const own = batches.flatMap((roles) => roles[label] ?? []);
        const strongest = ROLES.findLast((each) => own.includes(each));
        const isDerived = strongest === "transaction" || strongest === "subresult";
        expect(role).toBe(isDerived ? strongest : undefined);
      }
    });
    await fc.assert(property, { numRuns: randomCases(30) });
  });

  test("failures tell roles as points do", async () => {
    const store = await openWithRun();
    const failures = failureTable([failure(0, "503", 3)]);
    const transaction = { labels: ["a"], roles: ["transaction"] } as const;
    await store.points.append({ ...batchOf([], { failures }), ...transaction });
    expect(await rolesIn(store)).toEqual({ a: "transaction" });
    const requests = batchOf([], { sequence: 1, failures });
    await store.points.append({ ...requests, labels: ["a"] });
    expect(await rolesIn(store)).toEqual({ a: undefined });
  });

  test("a staged source tells roles while it is published, and no longer", async () => {
    const store = await openWithRun();
    await store.points.append(batchWith({ a: "transaction" }));
    const staged = { sourceId: "file", visibility: "staged" } as const;
    await store.points.append(batchWith({ a: "request" }, staged));
    expect(await rolesIn(store)).toEqual({ a: "transaction" });
    await store.points.publish(published("file"));
    expect(await rolesIn(store)).toEqual({ a: undefined });
    await store.points.withdraw("run", "file");
    expect(await rolesIn(store)).toEqual({ a: "transaction" });
  });

  test("a snapshot keeps the roles it began with", async () => {
    const store = await openWithRun();
    await store.points.append(batchWith({ a: "subresult" }));
    const snapshot = await snapshotOf(store);
    await store.points.append(batchWith({ a: "request" }, { sequence: 1 }));
    expect(await endpointsOf(snapshot)).toMatchObject([{ label: "a", role: "subresult" }]);
    snapshot.release();
    expect(await rolesIn(store)).toEqual({ a: undefined });
  });

  test("a batch is known again by its roles, too", async () => {
    const store = await openWithRun();
    await store.points.append(batchWith({ b: "transaction", a: "request" }));
    const again = batchWith({ a: "request", b: "transaction" });
    expect(await store.points.append(again)).toEqual({ duplicate: true });
    const other = batchWith({ a: "request", b: "subresult" });
    await expect(store.points.append(other)).rejects.toMatchObject({ code: "sequence-reused" });
    await store.points.append(batchWith({ a: "request" }, { sequence: 1 }));
    const unspecified = batchOf([sample("a", 3)], { sequence: 1 });
    expect(await store.points.append(unspecified)).toEqual({ duplicate: true });
  });
}
