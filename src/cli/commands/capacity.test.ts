import { afterAll, expect, test } from "vitest";
import { createFakeProgram } from "../../../test/support/fake-program.ts";
import { createTestServer } from "../../../test/support/test-server.ts";

const world = await createTestServer();
const program = createFakeProgram({ ...world.store, close: async () => {} });
const server = ["--url", await world.server.listen(), "--key", world.key];
afterAll(() => world.server.close());

/** Slowdown by Gunther's law: largest throughput at the root of 0.98 / 0.0005, 44.3 users. */
function slowdown(users: number): number {
  return 1 + 0.02 * (users - 1) + 0.0005 * users * (users - 1);
}

/** One user more every 5 s, each of whom sends 10 requests a second of an idle server. */
function ramp(columns: string, slow: (users: number) => number, usersAt: (step: number) => number) {
  const rows: string[] = [];
  let due = 0;
  for (let second = 0; second < 300; second++) {
    const users = usersAt(Math.floor(second / 5) + 1);
    const elapsed = Math.round(100 * slow(users));
    due += (10 * users) / slow(users);
    const count = Math.floor(due);
    due -= count;
    const time = 1_700_000_000_000 + second * 1000;
    for (let index = 0; index < count; index++)
      rows.push(`${time},${elapsed},a,true,10,${users}\n`);
  }
  return `${columns}\n${rows.join("")}`;
}

const WITH_USERS = "timeStamp,elapsed,label,success,bytes,allThreads";
const WITHOUT_USERS = "timeStamp,elapsed,label,success,bytes,other";
const ascending = (step: number) => step;
await program.run(["import", "-", "--id", "law"], ramp(WITH_USERS, slowdown, ascending));
await program.run(
  ["import", "-", "--id", "even"],
  ramp(WITH_USERS, () => 1, ascending),
);
await program.run(
  ["import", "-", "--id", "rate"],
  ramp(WITHOUT_USERS, () => 1, ascending),
);
await program.run(
  ["import", "-", "--id", "held"],
  ramp(
    WITH_USERS,
    () => 1,
    () => 9,
  ),
);

test("the peak and the load at which p95 has doubled are those of the law", async () => {
  const { exitCode, out } = await program.run(["capacity", "law", "--json"]);
  const { loadUnit, peak, p95Doubled, levels } = JSON.parse(out);
  expect([exitCode, loadUnit, levels.length]).toEqual([0, "users", 40]);
  const most = Math.sqrt(0.98 / 0.0005);
  const reqPerSec = (users: number) => (10 * users) / slowdown(users);
  expect(peak.reqPerSec.value / reqPerSec(most)).toBeCloseTo(1, 2);
  expect(reqPerSec(peak.load.value) / (0.95 * reqPerSec(most))).toBeCloseTo(1, 2);
  expect(peak.law.secondsOfOne).toBeCloseTo(0.1, 2);
  expect(peak.load.low).toBeLessThan(peak.load.value);
  expect(peak.load.high).toBeGreaterThan(peak.load.value);
  expect(slowdown(p95Doubled.load) * 0.1).toBeCloseTo(p95Doubled.p95After, 2);
  expect(p95Doubled.p95After).toBe(2 * p95Doubled.p95Before);
});

async function text(id: string): Promise<string> {
  return (await program.run(["capacity", id])).out;
}

test("the text states the limits, or that there are none", async () => {
  expect(await text("law")).toMatch(
    /^USERS +REQ\/S +P95\n[^]*\nat most 15\d\/s \(15\d to 15\d\); 95 % of it from [\d.]+ users \([\d.]+ to [\d.]+\) on\np95 doubled at 3\d(\.\d)? users: from 1\d\d ms to 2\d\d ms\n$/,
  );
  expect(await text("even")).toMatch(/\nno limit seen up to 592\/s and 59\.2 users\n$/);
  expect(await text("rate")).toMatch(
    /^REQ\/S +P95\n[^]*\nno peak is computed: active users are not recorded\nno limit seen up to \d{3}\/s\n/,
  );
  expect(await text("held")).toMatch(/\nno limits are computed: the load hardly varies\n$/);
  expect(await text("run")).toBe("no requests with known timestamps\n");
});

test.each([
  ["law"],
  ["rate", "--json"],
  ["law", "--filter", "a", "--from", "1700000100"],
  ["law", "--filter", "zzz"],
  ["none"],
])("a server gives the same output as a data directory: %s %s", async (...words) => {
  const [here, there] = [
    await program.run(["capacity", ...words]),
    await program.run(["capacity", ...words, ...server]),
  ];
  expect(there).toEqual(here);
});
