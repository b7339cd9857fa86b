import { expect, test } from "vitest";
import type { NewAuditEntry, Store } from "../../../src/store/store.ts";

const AT_MS = 1_700_000_000_000;

function entry(number: number, others: Partial<NewAuditEntry> = {}): NewAuditEntry {
  return {
    atMs: AT_MS + number,
    project: undefined,
    key: "robot",
    operation: "changeLoadTest",
    target: `run-${number}`,
    outcome: "done",
    details: `{"name":"it's \\\\ ü ${number}"}`,
    ...others,
  };
}

export function auditConforms(open: () => Promise<Store>): void {
  test("entries are read as written, latest first, page by page", async () => {
    const { audit } = await open();
    for (const number of [1, 2, 3, 4, 5]) await audit.add(entry(number));
    const where = { project: undefined, limit: 2 };
    const first = await audit.list(where);
    const second = await audit.list({ ...where, after: first.at(-1)?.id });
    const third = await audit.list({ ...where, after: second.at(-1)?.id });
    // A project of a store has its own.
    const expected = [[5, 4], [3, 2], [1]].map((page) =>
      page.map((number) => ({ ...entry(number), project: expect.toSatisfy(isProject) as unknown })),
    );
    expect([first, second, third]).toMatchObject(expected);
    expect(await audit.list({ ...where, after: third.at(-1)?.id })).toEqual([]);
    expect(new Set([...first, ...second, ...third].map(({ id }) => id)).size).toBe(5);
  });

  test("no entry is before an id that none has", async () => {
    const { audit } = await open();
    await audit.add(entry(1));
    for (const after of ["1e309", "1e-5", "99999999999999999999", "-", "abc"]) {
      expect(await audit.list({ project: undefined, limit: 2, after })).toEqual([]);
    }
  });

  test("unknown members of an entry stay unknown, and targets select", async () => {
    const { audit } = await open();
    const bare = { key: undefined, target: undefined, details: undefined };
    await audit.add(entry(1, { ...bare, outcome: "no-role" }));
    await audit.add(entry(2, { target: "it's" }));
    const all = await audit.list({ project: undefined, limit: 9 });
    expect(all).toMatchObject([{ target: "it's" }, { ...bare, outcome: "no-role" }]);
    const found = await audit.list({ project: undefined, target: "it's", limit: 9 });
    expect(found).toMatchObject([{ target: "it's" }]);
    expect(await audit.list({ project: undefined, target: "its", limit: 9 })).toEqual([]);
  });
}

function isProject(value: unknown): boolean {
  return value === undefined || value === "web";
}
