import { afterAll, expect, test } from "vitest";
import { sample } from "../../test/support/batches.ts";
import { createTestServer } from "../../test/support/test-server.ts";
import { openCatalogue } from "../catalogue/catalogue.ts";
import { openRemoteCatalogue } from "./remote-catalogue.ts";
import { ServerCalls } from "./server-calls.ts";

const world = await createTestServer({ samples: [sample("a", 0), sample("b", 1_700_000_000)] });
const url = await world.server.listen();
afterAll(() => world.server.close());

async function open(...scopes: readonly ("read" | "write")[]) {
  const calls = new ServerCalls({
    url,
    key: await world.makeKey(...scopes),
    fetch,
    wait: async () => {},
    clockMs: () => 0,
    random: () => 0,
    patienceMs: () => 0,
    warn: () => undefined,
  });
  let ids = 0;
  return openRemoteCatalogue(calls, calls, () => `remote-${++ids}`);
}

const local = openCatalogue({ ...world.store, now: () => 1, createLoadTestId: () => "unused" });

test("a remote catalogue returns the same as the server's own", async () => {
  const remote = await open("read", "write");
  const created = await remote.create({ tags: ["x", "a"], pinned: true });
  expect(created).toMatchObject({ id: "remote-1", name: "remote-1", tags: ["a", "x"] });
  expect(await local.show("remote-1")).toEqual({
    loadTest: created,
    sources: [],
    quality: [],
  });
  const request = { name: "é & ?", addTags: ["m"], removeTags: ["a"], finished: true };
  const changed = await remote.change("remote-1", request);
  expect(changed).toMatchObject({ name: "é & ?", tags: ["m", "x"], pinned: true });
  for (const id of ["remote-1", "run"]) {
    expect(await remote.show(id)).toEqual(await local.show(id));
    expect(await remote.labels(id)).toEqual(await local.labels(id));
  }
  for (const query of [{}, { search: "É & ?" }, { tag: "m" }, { limit: 1 }]) {
    expect(await remote.list(query)).toEqual(await local.list(query));
  }
  const { next } = await local.list({ limit: 1 });
  expect(await remote.list({ after: next })).toEqual(await local.list({ after: next }));
  await remote.delete("remote-1");
  await expect(local.show("remote-1")).rejects.toMatchObject({ code: "unknown-load-test" });
});

test("a list longer than one page is complete", async () => {
  const ids = Array.from({ length: 1200 }, (_, number) => `many-${number}`);
  for (const id of ids) await local.create({ id });
  const remote = await open("read");
  const { loadTests, next } = await remote.list({ search: "many-" });
  expect(loadTests.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
  expect(next).toBeUndefined();
  expect((await remote.list({ search: "many-", limit: 1100 })).loadTests).toHaveLength(1100);
});

test("a server error is thrown like the local one", async () => {
  const remote = await open("read");
  const refused = { code: "unknown-load-test", message: 'there is no load test "a/b?"' };
  await expect(remote.show("a/b?")).rejects.toMatchObject(refused);
  await expect(remote.change("run", {})).rejects.toMatchObject({
    code: "server-refused",
    message: expect.stringContaining("the key may not write"),
  });
});
