import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import { createFakeProgram } from "../../../test/support/fake-program.ts";
import { loadTest } from "../../../test/support/load-tests.ts";
import { createTestServer } from "../../../test/support/test-server.ts";
import { readFixture } from "../../../test/samples/fixtures.ts";

const world = await createTestServer();
const program = createFakeProgram({ ...world.store, close: async () => {} });
const key = await world.makeKey("read", "write");
const KEY_NAME =
  (await world.store.keys.list()).find(({ scopes }) => scopes.includes("write"))?.name ?? "";
const server = ["--url", await world.server.listen(), "--key", key];
afterAll(() => world.server.close());

test.each([
  ["the store", [], "-"],
  ["a server", server, KEY_NAME],
])("%s: events are added once, listed by time, and removed", async (name, place, author) => {
  const run = (words: readonly string[]) => program.run(["events", ...words, ...place]);
  const id = name.replace(" ", "-");
  await world.store.loadTests.create(loadTest(id));
  const later = await run(["add", id, "ramp ends", "--at", "2026-11-21T10:20:00Z"]);
  const added = await run(["add", id, "deployed 1.4", "--at", "1795256343.25"]);
  expect([later.exitCode, added.exitCode]).toEqual([0, 0]);
  expect((await run(["add", id, "deployed 1.4", "--at", "1795256343.25"])).out).toBe(added.out);
  const { out } = await run(["list", id]);
  expect(
    out
      .trimEnd()
      .split("\n")
      .map((line) => line.split(/ {2,}/)),
  ).toEqual([
    ["TIME", "ID", "AUTHOR", "TEXT"],
    ["2026-11-21T10:19:03.250Z", added.out.trim(), author, "deployed 1.4"],
    ["2026-11-21T10:20:00.000Z", later.out.trim(), author, "ramp ends"],
  ]);
  expect((await run(["remove", id, added.out.trim()])).exitCode).toBe(0);
  expect(JSON.parse((await run(["list", id, "--json"])).out)).toMatchObject([
    { text: "ramp ends" },
  ]);
  expect((await run(["add", id, "x".repeat(201)])).error).toMatch(
    /expected 1 to 200 characters, got 201/,
  );
  expect((await run(["list", "none"])).exitCode).toBe(1);
});

/** Output, or the error. */
async function outcomeOf(
  words: readonly string[],
  place: readonly string[] = server,
): Promise<string> {
  const { exitCode, out, error } = await program.run(["events", ...words, ...place]);
  return exitCode === 0 ? out.trim() : error;
}

test("a note has a range, an endpoint and its author, which stay when others edit it", async () => {
  await world.store.loadTests.create(loadTest("noted"));
  const range = ["--at", "2026-11-21T10:19:00Z", "--until", "2026-11-21T10:20:00Z"];
  const about = ["--endpoint", "GET /search"];
  const id = await outcomeOf(["add", "noted", "cache cold", ...range, ...about]);
  expect(
    await outcomeOf(["edit", "noted", id, "--text", "cache was cold", "--endpoint", ""], []),
  ).toBe("");
  const [note] = JSON.parse(await outcomeOf(["list", "noted", "--json"])) as Record<
    string,
    unknown
  >[];
  const { writtenAt, ...told } = note ?? {};
  expect(told).toEqual({
    id,
    at: "2026-11-21T10:19:00.000Z",
    until: "2026-11-21T10:20:00.000Z",
    text: "cache was cold",
    author: KEY_NAME,
  });
  expect(writtenAt).toBe("2026-11-21T12:00:00.000Z");
  // What a sender repeats does not undo the edit.
  expect(await outcomeOf(["add", "noted", "cache cold", ...range, ...about], [])).toBe(id);
  expect(await outcomeOf(["list", "noted"])).toContain("cache was cold");
  expect(await outcomeOf(["edit", "noted", id, "--until", "2026-11-21T10:00:00Z"])).toMatch(
    /until: expected a time later than/,
  );
  expect(await outcomeOf(["edit", "noted", "none", "--text", "x"])).toMatch(
    /expected the id of an event of the load test, got "none"/,
  );
});

/** What JMeter sent. Its first and last request mark the beginning and the end, by name and time of the run. */
const SENT = gunzipSync(readFixture("jmeter-influx/gen-jmeter-5.6.3-influx-timed.ndjson.gz"))
  .toString()
  .trim()
  .split("\n")
  .map((line) => (JSON.parse(line) as { body: string }).body);

const OF_JMETER = [
  { at: "2026-11-21T03:44:43.206Z", text: "Run “one”, 1 started" },
  { at: "2026-11-21T03:45:13.548Z", text: "Run “one”, 1 ended" },
];

test.each([
  ["imported", []],
  ["sent to a server", server],
  ["followed", ["--follow", "--still-seconds", "1"]],
])("what JMeter says of its run becomes events once: %s", async (name, flags) => {
  const id = name.replaceAll(" ", "-");
  const file = path.join(await mkdtemp(path.join(tmpdir(), "events-")), "run.lp");
  await writeFile(file, SENT.join(""));
  for (let time = 0; time < 2; time++) {
    const { exitCode, error } = await program.run(["import", "--id", id, ...flags, file]);
    expect([exitCode, error]).toEqual([0, expect.anything()]);
  }
  expect(await eventsOf(id)).toMatchObject(OF_JMETER);
});

test("what JMeter says of its run becomes events once: sent live, some requests twice", async () => {
  for (const payload of [...SENT, SENT.at(-1) ?? ""]) {
    const answer = await world.ask("/write?db=live", { method: "POST", key, payload });
    expect(answer.statusCode).toBe(204);
  }
  expect(await eventsOf("live")).toMatchObject(OF_JMETER);
  const events = Array.from({ length: 999 }, (_, at) => ({ atMs: at, text: "full" }));
  await world.store.loadTests.update("live", { addedEvents: events.slice(1) });
  const full = await world.ask("/write?db=live", {
    method: "POST",
    key,
    payload: 'events text="one more" 1795266265\n',
  });
  expect(full.statusCode).toBe(400);
  expect(full.body).toContain("the load test would have 1001, at most 1000 are allowed dropped=1");
});

async function eventsOf(id: string): Promise<unknown> {
  return JSON.parse((await program.run(["events", "list", id, "--json"])).out);
}
