/** T3: the data directory and backups contain no usable key. */

import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runTachograph } from "../support/run-tachograph.ts";
import { type ServerProcess, startServer } from "./server-process.ts";

let server: ServerProcess;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

test("no stored byte and no log line contains a key, and only the owner may read them", async () => {
  const keys = await Promise.all(["read", "write", "admin"].map((scope) => server.makeKey(scope)));
  const admin = keys[2] ?? "";
  const headers = { "X-Service-Auth": admin, "Content-Type": "application/json" };
  const made = await fetch(`${server.url}/Api/Keys`, {
    method: "POST",
    headers,
    body: JSON.stringify({ name: "made", scopes: ["write"] }),
  });
  keys.push(((await made.json()) as { key: string }).key);
  for (const key of keys) {
    const asked = await fetch(`${server.url}/Api/CurrentKey`, {
      headers: { "X-Service-Auth": key },
    });
    expect(asked.status).toBe(200);
    // Where people put them by mistake.
    const places = [
      `/Api/LoadTests/${key}`,
      `/?key=${key}`,
      `/query?q=SHOW&p=${key}`,
      `/Api/Metrics?loadTestId=${key}&filter=${key}&format=${key}`,
    ];
    for (const place of places) {
      const asReader = { "X-Service-Auth": keys[0] ?? "" };
      await (await fetch(server.url + place, { headers: asReader })).text();
    }
    for (const place of [`/write?db=${key}`, `/api/v2/write?bucket=${key}`]) {
      const asAdmin = { "X-Service-Auth": admin };
      await fetch(server.url + place, { method: "POST", headers: asAdmin, body: "x" });
    }
    await fetch(`${server.url}/write?db=run&p=${key}`, { method: "POST", body: `x,k=${key}` });
  }
  const backup = path.join(server.data, "copy.sqlite");
  const { exitCode } = await runTachograph(["backup", backup, "--data", server.data]);
  expect(exitCode).toBe(0);
  const files = readdirSync(server.data).map((name) => path.join(server.data, name));
  expect(files.length).toBeGreaterThan(3);
  for (const file of files) {
    expect([file, (statSync(file).mode & 0o777).toString(8)]).toEqual([file, "600"]);
    const bytes = readFileSync(file);
    for (const key of keys) expect(bytes.includes(key.slice(4, 34))).toBe(false);
  }
  expect(statSync(server.data).mode & 0o777).toBe(0o700);
  const said = await server.logged('"db":"run"');
  expect(said).toContain('"loadTestId":"tgk_…"');
  expect(said).toContain('"path":"/Api/LoadTests/tgk_…"');
  for (const key of keys) expect(said).not.toContain(key.slice(4, 34));
});
