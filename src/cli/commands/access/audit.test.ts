import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, expect, test } from "vitest";
import { createFakeProgram } from "../../../../test/support/fake-program.ts";
import { createTestServer } from "../../../../test/support/test-server.ts";
import type { AuditEntryJson } from "../../../api/audit.ts";

const world = await createTestServer();
const url = await world.server.listen();
const key = await world.ring.create({ name: "boss", scopes: ["admin"], expiresAtMs: undefined });
const place = ["--url", url, "--key", key];
afterAll(() => world.server.close());

test("the audit log of a server is printed latest first, of a store the same", async () => {
  const program = createFakeProgram(world.store);
  await program.run(["tests", "rename", "run", "new name", ...place]);
  await program.run(["tests", "finish", "run", ...place]);
  const { out, error } = await program.run(["audit", ...place]);
  expect(error).toBe("");
  const [head, ...lines] = out.trimEnd().split("\n");
  expect(head).toMatch(/^TIME \(UTC\) +KEY +OPERATION +TARGET +OUTCOME +DETAILS$/);
  expect(lines.map((line) => line.replace(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d  /, ""))).toEqual([
    'boss  changeLoadTest  run     done     {"finished":true}',
    'boss  changeLoadTest  run     done     {"name":"new name"}',
  ]);
  expect((await program.run(["audit"])).out).toBe(out);
});

async function read(...words: string[]): Promise<AuditEntryJson[]> {
  const { out } = await createFakeProgram().run(["audit", "--json", ...words, ...place]);
  return JSON.parse(out) as AuditEntryJson[];
}

test("entries are read page by page up to the limit, and by target", async () => {
  const common = { project: undefined, key: "boss", outcome: "done", details: undefined };
  for (let number = 0; number < 1003; number++) {
    await world.store.audit.add({
      ...common,
      atMs: number,
      operation: "x",
      target: `t${number % 2}`,
    });
  }
  expect(await read("--limit", "1002")).toHaveLength(1002);
  expect(await read()).toHaveLength(100);
  const one = await read("--limit", "2000", "--target", "t1");
  expect(one).toHaveLength(501);
  expect(new Set(one.map(({ target }) => target))).toEqual(new Set(["t1"]));
});

test("a server that sends the same page for ever is an error", async () => {
  const server = createServer((_, response) => {
    response.setHeader("Content-Type", "application/json").end('{"entries":[],"next":"a"}');
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const words = ["audit", "--url", `http://127.0.0.1:${port}`, "--key", key];
  const { exitCode, error } = await createFakeProgram().run(words);
  server.close();
  expect({ exitCode, error }).toMatchObject({
    exitCode: 1,
    error: expect.stringContaining("sent the same page again") as string,
  });
});

test("a key that is no administrator's is refused", async () => {
  const words = ["audit", "--url", url, "--key", world.key];
  const { exitCode, error } = await createFakeProgram().run(words);
  expect(exitCode).toBe(1);
  expect(error).toContain("admin");
});
