import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { temporaryDirectory } from "../../test/support/store-directory.ts";
import { createTestServer } from "../../test/support/test-server.ts";
import type { RepeatedJob } from "../concurrency/repeat-job.ts";
import { openNotices, startJudging } from "./start-judging.ts";
import { startRetention } from "./start-retention.ts";
import { openSqliteStore } from "../store/sqlite/store.ts";

const START = Date.UTC(2026, 10, 21, 12) / 1000;
const [FROM, UNTIL] = [START + 100, START + 199];
const NO_NOTICES = { targets: [], secret: undefined, publicUrl: undefined, tellsRecovery: false };

/** Opens a server on SQLite, with the jobs of `serve`, at a time that tests change. */
async function openServer() {
  let nowMs = (START + 300) * 1000;
  const now = (): number => nowMs;
  const store = await openSqliteStore(`${temporaryDirectory()}/store.db`, { now });
  const world = await createTestServer({ store });
  onTestFinished(async () => {
    await world.server.close();
    await store.close();
  });
  const address = await world.server.listen();
  const key = await world.makeKey("read", "write");
  const ask = async (path: string, request: RequestInit = {}) => {
    const headers = { "X-Service-Auth": key, ...(request.headers as Record<string, string>) };
    const answer = await fetch(address + path, { ...request, headers });
    return { status: answer.status, body: await answer.text() };
  };
  const json = { "Content-Type": "application/json" };
  return {
    store,
    wait: (ms: number) => void (nowMs += ms),
    get: async (path: string, headers: Record<string, string> = {}) => {
      const answer = await fetch(address + path, {
        headers: { "X-Service-Auth": key, ...headers },
      });
      return {
        status: answer.status,
        etag: answer.headers.get("ETag") ?? "",
        body: await answer.text(),
      };
    },
    read: async (path: string) => JSON.parse((await ask(path)).body) as never,
    post: (path: string, body: string, headers = {}) =>
      ask(path, { method: "POST", body, headers }),
    change: (method: string, path: string, members: object) =>
      ask(path, { method, body: JSON.stringify(members), headers: json }),
    /** Lets a job run until something holds. */
    until: async (
      job: (log: typeof LOG, now: () => number) => RepeatedJob,
      holds: () => Promise<boolean>,
    ): Promise<void> => {
      const running = job(LOG, now);
      while (!(await holds())) await wait(10);
      await running.stop();
    },
  };
}

const unexpected = (about: object, event: string): void => {
  throw new Error(`${event} ${JSON.stringify(about)}`);
};
const LOG = { info: () => undefined, warn: unexpected, error: unexpected };

const HEADER = { "X-Environment": "staging" };

test.each([5, 30_400])(
  "of 300 s of an environment, a load test shows its own 100 s, for good: its last request takes %i ms",
  async (lastMs) => {
    const { store, wait: pass, read, post, change, until } = await openServer();
    for (let second = START; second < START + 300; second += 10) {
      const lines = Array.from(
        { length: 10 },
        (_, at) => `cpu,host=a usage=${second + at - START} ${second + at}\n`,
      );
      // Telegraf always sends a database.
      const answer = await post("/write?db=telegraf", lines.join(""), HEADER);
      expect(answer).toEqual({ status: 204, body: "" });
      const metrics = [
        { name: "jobs", sum: { isMonotonic: true, ...deltaAt(second, second / 10) } },
      ];
      const resourceMetrics = [{ scopeMetrics: [{ metrics }] }];
      const body = JSON.stringify({ resourceMetrics });
      const sent = await post("/v1/metrics?env=staging", body, {
        "Content-Type": "application/json",
      });
      expect(sent).toEqual({ status: 200, body: "{}" });
    }
    await change("POST", "/Api/LoadTests", { id: "nightly", environment: "staging" });
    // The time is the end.
    const requests = [
      [FROM, 5],
      [UNTIL, lastMs],
    ].map(
      ([second, value]) => `http_req_duration,name=/a,status=200 value=${value} ${second}500\n`,
    );
    expect((await post("/write?db=nightly", requests.join(""))).status).toBe(204);
    // The seconds 100 to 199, and the jobs at 100, 110, … and 190.
    const want = [
      { name: "cpu.usage", count: 100, sum: 14_950, mean: 149.5, min: 100, max: 199, last: 199 },
      { name: "jobs", count: 10, sum: (10 * (START + 100 + START + 190)) / 20 },
    ].map((figures) => expect.objectContaining(figures) as unknown);
    const path = "/Api/LoadTests/nightly/Measures";
    const shown = await read(path);
    expect(shown).toEqual({ measures: want, unstored: expect.anything() as unknown });
    expect(await read("/Api/LoadTests?search=staging")).toMatchObject({
      loadTests: [{ id: "nightly" }],
    });

    expect((await change("PATCH", "/Api/LoadTests/nightly", { finished: true })).status).toBe(200);
    await until(
      (log, now) => startJudging(store, openNotices(NO_NOTICES, [], log), { log, now }),
      async () => (await store.points.liveSources("nightly")).length === 2,
    );
    expect(await read(path)).toEqual(shown);
    const formats = ["k6-line-protocol"];
    expect(await read("/Api/LoadTests/nightly")).toMatchObject({ formats });
    pass(8 * 24 * 3_600_000);
    await until(
      (log, now) =>
        startRetention(store, { keepEnvironmentDays: 7 }, new Map(), {
          log,
          now,
          record: async () => {},
        }),
      async () => (await store.scopes()).every(({ environment }) => environment === undefined),
    );
    expect(await read(path)).toEqual(shown);
  },
);

function deltaAt(second: number, value: number): object {
  const dataPoints = [{ timeUnixNano: `${second}000000000`, asDouble: value }];
  return { aggregationTemporality: 1, dataPoints };
}

test("posts without a load test and an environment, and requests for an environment, are refused", async () => {
  const { store, post } = await openServer();
  const line = `http_req_duration,name=/a,status=200 value=5 ${FROM}000\n`;
  for (const [path, headers, detail] of [
    ["/write", {}, "db is required, unless X-Environment names an environment"],
    ["/api/v2/write", {}, "bucket is required, unless X-Environment names an environment"],
    ["/write?env=a/b", {}, "env: expected 1 to 60 of A-Z a-z 0-9 . _ -, but not . or .., got"],
    ["/write?env=..", {}, "env: expected 1 to 60 of A-Z a-z 0-9 . _ -, but not . or .., got"],
    [
      "/write",
      HEADER,
      'cannot store requests, users or events in the environment \\"staging\\": want measures',
    ],
  ] as const) {
    const { status, body } = await post(path, line, headers);
    expect([path, status, body]).toEqual([path, 400, expect.stringContaining(detail)]);
  }
  const json = { "Content-Type": "application/json" };
  expect(await post("/v1/metrics", "{}", json)).toMatchObject({ status: 400 });
  expect(await post("/v1/traces", "{}", { ...json, ...HEADER })).toMatchObject({ status: 400 });
  expect((await store.loadTests.list()).map(({ id }) => id)).toEqual(["run"]);
  expect(await store.scopes()).toEqual([{}]);
});

test("a trend of measures has what an environment sends late, for those who have read it before, too", async () => {
  const { post, change, get } = await openServer();
  await change("POST", "/Api/LoadTests", {
    id: "nightly",
    name: "nightly",
    environment: "staging",
  });
  const requests = [FROM, UNTIL].map(
    (second) => `http_req_duration,name=/a,status=200 value=5 ${second}500\n`,
  );
  await post("/write?db=nightly", requests.join(""));
  const path = "/Api/Trend?name=nightly&measure=cpu.usage";
  let seen = "";
  for (const [sent, mean] of [
    [1, 10],
    [2, 15],
    [3, 20],
  ] as const) {
    await post("/write", `cpu,host=a usage=${sent * 10} ${FROM + sent}\n`, HEADER);
    const { status, etag, body } = await get(path, { "If-None-Match": seen });
    expect([sent, status]).toEqual([sent, 200]);
    expect(JSON.parse(body)).toMatchObject({ measures: [{ count: [sent], mean: [mean] }] });
    expect((await get(path, { "If-None-Match": etag })).status).toBe(304);
    seen = etag;
  }
});
