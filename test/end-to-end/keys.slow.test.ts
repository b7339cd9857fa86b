import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type RunningTachograph,
  runTachograph,
  startTachograph,
} from "../support/run-tachograph.ts";

let data = "";
let server: RunningTachograph;
let url = "";

beforeAll(async () => {
  data = await mkdtemp(path.join(tmpdir(), "tachograph-keys-"));
  server = startTachograph(["serve", "--port", "0", "--data", data]);
  url = /http:\/\/[\d.:]+/.exec(await server.printed("http://"))?.[0] ?? "";
});

afterAll(async () => {
  server.process.kill("SIGKILL");
  await rm(data, { recursive: true });
});

async function keys(...words: readonly string[]): Promise<string> {
  return (await runTachograph(["keys", ...words, "--data", data])).out.trim();
}

async function ask(key: string, method: string, address: string, body?: object) {
  const response = await fetch(url + address, {
    method,
    headers: { "X-Service-Auth": key, "Content-Type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

interface ListedKey {
  readonly name: string;
  readonly revokedAt: string | null;
}

test("keys made and revoked here and there hold for both at once, and no log has one", async () => {
  const admin = await keys("create", "--name", "anna", "--scope", "admin");
  const made = await ask(admin, "POST", "/Api/Keys", { name: "ci", scopes: ["admin"] });
  const key = String(made.body["key"]);
  expect((await ask(key, "GET", "/Api/CurrentKey")).body).toMatchObject({ name: "ci" });
  await keys("revoke", "ci");
  expect((await ask(key, "GET", "/Api/CurrentKey")).status).toBe(401);
  const second = await keys("create", "--name", "second");
  expect((await ask(second, "GET", "/Api/LoadTests")).status).toBe(200);
  expect((await ask(admin, "DELETE", "/Api/Keys/second")).status).toBe(200);
  const listed = JSON.parse(await keys("list", "--json")) as readonly ListedKey[];
  expect(listed.map(({ name, revokedAt }) => [name, revokedAt !== null])).toEqual([
    ["anna", false],
    ["ci", true],
    ["second", true],
  ]);
  expect((await ask(second, "GET", "/Api/LoadTests")).status).toBe(401);
  server.process.kill("SIGTERM");
  const { out, error } = await server.outcome;
  expect(error).toContain('"route":"revokeKey"');
  for (const text of [admin, key, second]) expect(out + error).not.toContain(text.slice(0, 12));
});

test("a setting that the environment sets to nothing is not set", async () => {
  const environment = { TACHOGRAPH_DATA: data, TACHOGRAPH_URL: "", TACHOGRAPH_LABELS_MAX: "" };
  const { exitCode, error } = await runTachograph(["tests", "list"], { environment });
  expect({ exitCode, error }).toEqual({ exitCode: 0, error: "" });
});
