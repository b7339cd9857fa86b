import { mkdtemp, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type RunningTachograph,
  runTachograph,
  startTachograph,
} from "../support/run-tachograph.ts";

let folder = "";
const started: RunningTachograph[] = [];

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "tachograph-serve-"));
});

afterAll(async () => {
  for (const running of started) running.process.kill("SIGKILL");
  await rm(folder, { recursive: true });
});

/** A request of a script for the demo run, with the key in the file that the greeting names. */
interface PrintedRequest {
  readonly url: string;
  readonly key: string;
}

async function serve(
  data: string,
): Promise<RunningTachograph & PrintedRequest & { readonly link: string }> {
  const words = ["serve", "--demo", "--port", "0", "--data", path.join(folder, data)];
  const running = startTachograph(words);
  started.push(running);
  const greeting = await running.printed("demo-key\n");
  const link = /http:\S+/.exec(greeting)?.[0] ?? "";
  const key = (
    await readFile(/key for scripts is in (.+)/.exec(greeting)?.[1] ?? "", "utf8")
  ).trim();
  const url = `${new URL(link).origin}/Api/Metrics?loadTestId=demo&filter=GET&format=csv`;
  return { ...running, url, key, link };
}

async function get({ url, key }: PrintedRequest): Promise<{ status: number; text: string }> {
  const response = await fetch(url, { headers: { "X-Service-Auth": key } });
  return { status: response.status, text: await response.text() };
}

async function stop(running: RunningTachograph): Promise<number | undefined> {
  running.process.kill("SIGTERM");
  return (await running.outcome).exitCode;
}

function open(url: string): Promise<Response> {
  return fetch(url, { redirect: "manual" });
}

test("the printed link signs a browser in once, and only with its code", async () => {
  const { link, ...server } = await serve("link");
  const wrong = await open(link.replace(/code=../, "code=.."));
  expect([wrong.headers.get("location"), wrong.headers.get("set-cookie")]).toEqual([
    "/#link-used",
    null,
  ]);
  const signedIn = await open(link);
  expect([signedIn.status, signedIn.headers.get("location")]).toEqual([303, "/t/demo#signed-in"]);
  const cookie = signedIn.headers.get("set-cookie")?.split(";")[0] ?? "";
  const headers = { cookie, "X-Service-Auth": "session" };
  expect((await fetch(server.url, { headers })).status).toBe(200);
  const again = await open(link);
  expect([again.headers.get("location"), again.headers.get("set-cookie")]).toEqual([
    "/#link-used",
    null,
  ]);
  await stop(server);
});

test("the last run of the demo fails at its one slower endpoint", async () => {
  const { url, key, ...server } = await serve("verdict");
  const verdict = new URL("/Api/LoadTests/demo/Verdict", url);
  const { thresholds, against } = JSON.parse((await get({ url: verdict.href, key })).text) as {
    readonly against: string;
    readonly thresholds: readonly { readonly failIf: string; readonly fails: boolean }[];
  };
  expect(against).toBe("demo-1");
  expect(thresholds.filter(({ fails }) => fails)).toEqual([
    expect.objectContaining({ failIf: "GET /search: p95 grows > 10%" }),
  ]);
  // Of the 13 labels, and of all failures together.
  expect(thresholds).toHaveLength(14);
  const tests = new URL("/Api/Tests", url);
  const lastVerdict = async () => {
    const listed = JSON.parse((await get({ url: tests.href, key })).text) as {
      readonly tests: readonly { readonly runs: readonly { readonly verdict?: string }[] }[];
    };
    return listed.tests[0]?.runs.at(-1)?.verdict;
  };
  // Its runs are finished: the first look judges them, and does not wait for more data.
  await expect.poll(lastVerdict, { timeout: 20_000 }).toBe("failed");
  await stop(server);
});

test("the demo has a failed request to look at", async () => {
  const { url, key, ...server } = await serve("samples");
  const samples = new URL("/Api/LoadTests/demo/Samples?filter=POST+%2Fcheckout&code=503", url);
  // The first row of this kind in examples/demo/shop.jtl.gz.
  expect(JSON.parse((await get({ url: samples.href, key })).text)).toMatchObject({
    samples: expect.arrayContaining([
      expect.objectContaining({
        time: "2026-11-21T10:19:22.442Z",
        elapsedMs: 192,
        thread: "Buyers 2-5",
        url: "http://127.0.0.1:8099/checkout",
        message: "Service Unavailable",
      }),
    ]),
  });
  await stop(server);
});

test("the demo answers with its key, and after a second start with the same key", async () => {
  const first = await serve("twice");
  const answer = await get(first);
  expect(answer.status).toBe(200);
  const items = JSON.parse(answer.text) as { label: string; data: string[][] }[];
  expect(items.length).toBeGreaterThan(3);
  expect(items.every(({ data }) => data.length > 100)).toBe(true);
  expect(await stop(first)).toBe(0);
  const second = await serve("twice");
  expect(second.key).toBe(first.key);
  expect(await get(second)).toEqual(answer);
  expect(await stop(second)).toBe(0);
});

test("a running server sees at once what another process imports, makes and revokes", async () => {
  const data = path.join(folder, "beside");
  const server = await serve("beside");
  const file = path.join(import.meta.dirname, "../../examples/demo/shop.jtl.gz");
  const imported = await runTachograph(["import", file, "--id", "other", "--data", data]);
  expect(imported.exitCode).toBe(0);
  const { out } = await runTachograph(["keys", "create", "--name", "second", "--data", data]);
  const request = {
    url: server.url.replace("loadTestId=demo", "loadTestId=other"),
    key: out.trim(),
  };
  const answer = await get(request);
  expect(answer.status).toBe(200);
  expect(answer).toEqual(await get(server));
  await runTachograph(["keys", "revoke", "second", "--data", data]);
  expect((await get(request)).status).toBe(401);
  await runTachograph(["tests", "delete", "other", "--data", data]);
  expect((await get({ ...request, key: server.key })).status).toBe(404);
  expect(await stop(server)).toBe(0);
});

test("only the owner can read what lies in the data directory", async () => {
  const server = await serve("private");
  const directory = path.join(folder, "private");
  for (const name of await readdir(directory)) {
    const { mode } = await stat(path.join(directory, name));
    expect(`${name} ${(mode & 0o777).toString(8)}`).toBe(`${name} 600`);
  }
  expect((await stat(directory)).mode & 0o777).toBe(0o700);
  await stop(server);
});

test("a second server on the same data is turned away with exit code 75", async () => {
  const server = await serve("locked");
  const words = ["serve", "--port", "0", "--data", path.join(folder, "locked")];
  const { exitCode, error } = await runTachograph(words);
  expect(exitCode).toBe(75);
  expect(error).toContain(String(server.process.pid));
  await stop(server);
});

test("an address that is taken is an error that says so", async () => {
  const server = await serve("address");
  const port = new URL(server.url).port;
  const words = ["serve", "--port", port, "--data", path.join(folder, "other-address")];
  const { exitCode, error } = await runTachograph(words);
  expect({ exitCode, error }).toEqual({
    exitCode: 1,
    error: `error: cannot listen on 127.0.0.1, port ${port}: the port is in use; choose another with --port\n`,
  });
  await stop(server);
});

test("a reading command does not create a store", async () => {
  const data = path.join(folder, "mistyped");
  for (const words of [["tests", "list"], ["verify"], ["keys", "list"]]) {
    const { exitCode, error } = await runTachograph([...words, "--data", data]);
    expect(exitCode).toBe(1);
    expect(error).toContain("there is no store at");
  }
  await expect(stat(data)).rejects.toThrow("ENOENT");
});

test("six processes may meet on a data directory that is not there yet", async () => {
  const data = path.join(folder, "crowd");
  const names = ["a", "b", "c", "d", "e", "f"];
  const outcomes = await Promise.all(
    names.map((name) => runTachograph(["keys", "create", "--name", name, "--data", data])),
  );
  expect(outcomes.map(({ exitCode }) => exitCode)).toEqual(names.map(() => 0));
  const { out } = await runTachograph(["keys", "list", "--json", "--data", data]);
  expect((JSON.parse(out) as { name: string }[]).map(({ name }) => name).toSorted()).toEqual(names);
});

test.each(["192.0.2.1", "no-such-name.invalid"])(
  "an address that this machine does not have is refused in a sentence: %s",
  async (host) => {
    const data = path.join(folder, "elsewhere");
    const { exitCode, error } = await runTachograph(["serve", "--host", host, "--data", data]);
    expect(error).toMatch(new RegExp(`^error: cannot listen on ${host}, port 8013: .+\\n$`));
    expect(exitCode).toBe(2);
  },
);

test("a data directory that is a file is refused in a sentence", async () => {
  const data = path.join(folder, "a-file");
  await writeFile(data, "");
  const { exitCode, error } = await runTachograph([
    "keys",
    "create",
    "--name",
    "a",
    "--data",
    data,
  ]);
  expect(error).toMatch(/^error: cannot .+\n$/);
  expect(exitCode).toBe(1);
});

test("an interrupted import from a pipe leaves nothing behind", async () => {
  const data = path.join(folder, "stopped");
  const running = startTachograph(["import", "-", "--id", "run", "--data", data], "open");
  started.push(running);
  const rows = `timeStamp,elapsed,label,success\n${"1700000000000,1,a,true\n".repeat(50_000)}`;
  // More than a pipe holds: when it is written, the import is reading.
  await new Promise((resolve) => running.process.stdin?.write(rows, resolve));
  running.process.kill("SIGTERM");
  expect(await running.outcome).toMatchObject({ exitCode: 143, out: "" });
  const list = await runTachograph(["tests", "list", "--json", "--data", data]);
  expect(list.out).toBe("[]\n");
});
