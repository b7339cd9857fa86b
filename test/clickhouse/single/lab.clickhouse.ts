import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { labForTests } from "../lab/lab-for-tests.ts";
import { GUARDED_USER } from "../lab/server-settings.ts";

const lab = labForTests({ shards: 1, replicas: 1 });

test("the server is the old one, and lets in who knows the password", async () => {
  const [server] = lab().servers;
  expect(await server?.sql("SELECT version()")).toBe("18.16.1\n");
  const ask = async (password: string): Promise<string> => {
    const headers = { "X-ClickHouse-User": GUARDED_USER.name, "X-ClickHouse-Key": password };
    const answer = await fetch(server?.url ?? "", { method: "POST", headers, body: "SELECT 1" });
    return answer.text();
  };
  expect(await ask(GUARDED_USER.password)).toBe("1\n");
  expect(await ask("a guess")).toMatch(/Wrong password/);
});

test("a server that is killed has what it had when it is started again", async () => {
  const server = lab().server("s1r1");
  await server.sql("CREATE TABLE kept (a UInt8) ENGINE = MergeTree ORDER BY a");
  await server.sql("INSERT INTO kept VALUES (7)");
  await lab().kill("s1r1");
  await expect(server.sql("SELECT 1")).rejects.toThrow("fetch failed");
  expect(await lab().startAgain("s1r1")).toEqual({ isRestored: false });
  expect(await server.sql("SELECT * FROM kept")).toBe("7\n");
});

test("no server outlives the process that started it, whatever ended that", async () => {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, "../lab-child.ts")]);
  const [told] = (await once(child.stdout, "data")) as [Buffer];
  const [folder, ...processIds] = JSON.parse(told.toString()) as [string, ...number[]];
  try {
    expect(processIds.map((each) => isAbout(each, folder))).toEqual([true, true]);
    child.kill("SIGKILL");
    await expect
      .poll(() => processIds.map((each) => isAbout(each, folder)))
      .toEqual([false, false]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

function isAbout(processId: number, folder: string): boolean {
  try {
    return readFileSync(`/proc/${processId}/cmdline`, "utf8").includes(folder);
  } catch {
    return false;
  }
}
