/** Uploads without a run id, and their results. */

import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { sample } from "../../test/support/batches.ts";
import { createTestServer } from "../../test/support/test-server.ts";

const CONTENT = "timeStamp,elapsed,label,success\n1700000000000,5,a,true\n";

async function openWorld() {
  const world = await createTestServer({ samples: [sample("a", 1)] });
  const headers = { "x-service-auth": await world.makeKey("read", "write") };
  return async (method: "GET" | "POST" | "DELETE", url: string, payload?: string | Buffer) => {
    const request = { method, url, headers, ...(payload === undefined ? {} : { payload }) };
    const answer = await world.server.inject(request);
    const body = answer.body === "" ? undefined : (answer.json() as unknown);
    return { status: answer.statusCode, body };
  };
}

test("it becomes a new load test unless its content is already stored", async () => {
  const ask = await openWorld();
  expect(await ask("POST", "/Api/Results?file=a.jtl", CONTENT)).toMatchObject({
    status: 201,
    body: { loadTestId: "new-1", source: "a.jtl", alreadyImported: false },
  });
  const note = 'the content is in load test "new-1" already, as "a.jtl"';
  expect(await ask("POST", "/Api/Results?file=b.gz", gzipSync(CONTENT))).toMatchObject({
    status: 200,
    body: {
      loadTestId: "new-1",
      alreadyImported: true,
      notes: expect.arrayContaining([expect.stringContaining(note)]) as unknown,
    },
  });
  expect(await ask("GET", "/Api/LoadTests/new-2")).toMatchObject({ status: 404 });
  expect(await ask("POST", "/Api/Results?again=true", CONTENT)).toMatchObject({
    status: 201,
    body: { loadTestId: "new-3", alreadyImported: false },
  });
});

test("name and tags are those of the load test that the first of its files creates", async () => {
  const ask = await openWorld();
  const upload = "/Api/LoadTests/parts/Results?name=Shop";
  expect(await ask("POST", `${upload}&tags=main,eu`, CONTENT)).toMatchObject({ status: 201 });
  expect(await ask("POST", `${upload}&tags=late`, CONTENT.replace("5,", "6,"))).toMatchObject({
    status: 201,
  });
  const { body } = await ask("GET", "/Api/LoadTests/parts");
  expect(body).toMatchObject({ name: "Shop", tags: ["eu", "main"], requests: 2 });
  const tags = Array.from({ length: 51 }, (_, index) => `t${index}`).join(",");
  expect(await ask("POST", `/Api/Results?tags=${tags}`, CONTENT)).toMatchObject({ status: 400 });
});

test.each([
  ["/home/ada/secret/shop.jtl", "shop.jtl"],
  ["C:\\ada\\shop.jtl", "shop.jtl"],
  ["shop/", "shop/"],
])(
  "without a name, a load test is called after %s, without the folders, which links would show",
  async (file, name) => {
    const ask = await openWorld();
    const query = new URLSearchParams({ file });
    await ask("POST", `/Api/LoadTests/named/Results?${query}`, CONTENT);
    expect(await ask("GET", "/Api/LoadTests/named")).toMatchObject({ body: { name } });
  },
);

test("with unused=true, only an unused load test is deleted", async () => {
  const ask = await openWorld();
  await ask("POST", "/Api/LoadTests/used/Results", CONTENT);
  for (const id of ["used", "none", "run"]) {
    expect((await ask("DELETE", `/Api/LoadTests/${id}?unused=true`)).status).toBe(204);
  }
  expect((await ask("GET", "/Api/LoadTests/used")).status).toBe(200);
  await ask("DELETE", "/Api/LoadTests/used");
  await ask("POST", "/Api/LoadTests");
  const created = (await ask("GET", "/Api/LoadTests")).body as { loadTests: { id: string }[] };
  const ids = created.loadTests.map(({ id }) => id).filter((id) => id !== "run");
  expect(ids).toHaveLength(1);
  await ask("DELETE", `/Api/LoadTests/${ids[0]}?unused=true`);
  expect((await ask("GET", `/Api/LoadTests/${ids[0]}`)).status).toBe(404);
});
