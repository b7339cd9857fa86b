import { createServer, type Server } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createFakeProgram } from "../../../test/support/fake-program.ts";

const HEADER = "timeStamp,elapsed,label,responseCode,success\n";

let server: Server;
let url = "";

beforeAll(async () => {
  server = createServer(({ url: target = "" }, response) => {
    const second = Number(/part-(\d)/.exec(target)?.[1] ?? Number.NaN);
    if (Number.isNaN(second)) response.writeHead(404).end();
    else response.end(`${HEADER}${1_790_000_000_000 + 1000 * second},10,GET /,200,true\n`);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => void server.close());

test("parts at several addresses become one load test, named without their secrets", async () => {
  const program = createFakeProgram();
  const parts = [`${url}/part-1.jtl?sig=secret`, `${url}/gone.jtl?sig=secret`, `${url}/part-2.jtl`];
  const imported = await program.run(["import", "--id", "a", ...parts]);
  expect(imported.exitCode).toBe(2);
  expect(imported.error).toContain(
    `error: ${url}/gone.jtl: cannot read "${url}/gone.jtl": the server responded 404\n`,
  );
  expect(imported.out + imported.error).not.toContain("secret");
  const shown = JSON.parse((await program.run(["tests", "show", "a", "--json"])).out) as {
    readonly name: string;
    readonly requests: number;
    readonly sources: readonly { readonly name: string }[];
  };
  expect([shown.name, shown.requests]).toEqual(["part-1.jtl", 2]);
  expect(shown.sources.map(({ name }) => name).toSorted()).toEqual(["part-1.jtl", "part-2.jtl"]);
});

test.each([["--follow"], ["--split-gap", "5m"]])("%s needs a local file", async (...flags) => {
  const program = createFakeProgram();
  const refused = await program.run(["import", "--id", "a", ...flags, `${url}/part-1.jtl`]);
  expect(refused.exitCode).toBe(2);
  expect(refused.error).toMatch(/local file/);
});
