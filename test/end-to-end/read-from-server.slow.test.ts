/** The commands that read, from the outside: a real server, which is sometimes away. */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type RunningTachograph,
  runTachograph,
  startTachograph,
} from "../support/run-tachograph.ts";

const started: RunningTachograph[] = [];
let folder = "";
let key = "";

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "tachograph-read-"));
  const rows = Array.from(
    { length: 3000 },
    (_, index) => `${1_700_000_000_000 + index * 100},${20 + (index % 10)},cart,true,10\n`,
  );
  const results = path.join(folder, "a.jtl");
  await writeFile(results, `timeStamp,elapsed,label,success,bytes\n${rows.join("")}`);
  await runTachograph(["import", results, "--id", "run", "--data", folder]);
  key = (await runTachograph(["keys", "create", "--name", "ci", "--data", folder])).out.trim();
});

afterAll(async () => {
  for (const running of started) running.process.kill("SIGKILL");
  await rm(folder, { recursive: true });
});

function start(...words: readonly string[]): RunningTachograph {
  const running = startTachograph(words);
  started.push(running);
  return running;
}

async function serve(port: string): Promise<RunningTachograph & { readonly url: string }> {
  const running = start("serve", "--port", port, "--data", folder);
  const greeting = await running.printed("answers at http://127.0.0.1:");
  return { ...running, url: /http:\S+/.exec(greeting)?.[0] ?? "" };
}

async function stop({ process, outcome }: RunningTachograph): Promise<void> {
  process.kill("SIGTERM");
  expect((await outcome).exitCode).toBe(0);
}

test("a pipeline without the data directory checks and reads, also while the server restarts", async () => {
  const first = await serve("0");
  const place = ["--url", first.url, "--key", key];
  const check = ["check", "run", "--fail-if", "avg > 24ms", "--fail-if", "errors > 0%"];
  const far = await runTachograph([...check, ...place]);
  expect(far).toEqual(await runTachograph([...check, "--data", folder]));
  expect(far).toMatchObject({ exitCode: 4, error: "" });
  expect(far.out).toContain("FAILED  avg > 24ms   24.5 ms\n");
  await stop(first);

  const metrics = ["metrics", "run", "--filter", "cart", "--format", "csv"];
  const waiting = start(...metrics, ...place);
  await waiting.logged("trying again");
  const second = await serve(new URL(first.url).port);
  const { error, ...answer } = await waiting.outcome;
  expect(await runTachograph([...metrics, "--data", folder])).toMatchObject(answer);
  expect(answer.out).toContain('"1700000000"');
  expect(error).toContain(`connected to ${new URL(second.url).origin} again`);
  await stop(second);
});

test("a command that waits for its server ends at once where somebody has had enough", async () => {
  const server = await serve("0");
  await stop(server);
  const waiting = start("summary", "run", "--url", server.url, "--key", key);
  await waiting.logged("trying again");
  waiting.process.kill("SIGINT");
  const { exitCode, out, error } = await waiting.outcome;
  expect({ exitCode, out }).toEqual({ exitCode: 130, out: "" });
  expect(error).toMatch(/^warning: cannot reach .*: trying again\ninterrupted\n$/);
});
