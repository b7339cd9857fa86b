import { beforeAll, expect, test } from "vitest";
import { createFakeProgram } from "../../../test/support/fake-program.ts";
import { logNormal, simulate } from "../../../test/support/simulated-load.ts";

const program = createFakeProgram();

const OUTAGE = [[300.2, 360.2]] as const;

function resultsOf(freezes: readonly (readonly [number, number])[], startMs = 1_700_000_000_000) {
  const { requests } = simulate({
    generator: { kind: "closed", users: () => 10, thinks: logNormal(0.5, 0.3) },
    service: logNormal(0.03),
    labels: ["GET /", "GET /cart"],
    seconds: 600,
    seed: 1,
    freezes,
  });
  const rows = requests.map(
    ({ label, begin, end }) =>
      `${startMs + Math.floor(begin * 1000)},${Math.round((end - begin) * 1000)},${label},true\n`,
  );
  return `timeStamp,elapsed,label,success\n${rows.join("")}`;
}

beforeAll(async () => {
  for (const [id, freezes] of [
    ["healthy", []],
    ["outage", OUTAGE],
  ] as const) {
    const text = resultsOf(freezes);
    for (const each of [id, `${id}-2`]) await program.run(["import", "-", "--id", each], text);
  }
});

const LIMITS = ["p95 > 500ms", "GET /cart: p99 > 1s", "errors > 1%", "p95 > 40s", "avg > 200ms"];

async function check(id: string, ...flags: string[]) {
  const limits = LIMITS.flatMap((limit) => ["--fail-if", limit]);
  return program.run(["check", id, ...limits, ...flags]);
}

test("a minute of outage does not pass: 95 of 100 closed users' requests never saw it", async () => {
  const { exitCode: code, out } = await check("outage");
  expect(code).toBe(4);
  const results = out.split("\n").map((line) => line.split(/ {2,}/)[0]);
  expect(results.slice(1, 6)).toEqual([
    "not evaluated",
    "not evaluated",
    "ok",
    "ok",
    "not evaluated",
  ]);
  // A tenth of the time, by requests: half of what is missing waits for 30 s or more.
  expect(out).toMatch(/ms, but at least (?:29|30)\d{3} ms with requests not sent while the load/);
  // Ten users send a request every 0.55 s each: 1,090 in a minute.
  expect(out).toMatch(/the load generator waited: about 1,(?:0[5-9]|1[0-2])\d requests/);
  expect((await check("outage", "--allow-unknown")).exitCode).toBe(0);
});

test("windows within the outage do not pass", async () => {
  const limits = [
    "p95 > 5s over 30s",
    "GET /cart: avg > 5s over 10s",
    // Of two adjacent windows, the second one begins in the outage, at least 1 s after the first can be slow: its slowest twentieth waits for less than 58 s.
    "p95 > 54s over 20s",
    "p95 > 58s over 20s",
    "errors > 1% over 30s",
  ];
  const flags = limits.flatMap((limit) => ["--fail-if", limit]);
  const { exitCode, out } = await program.run(["check", "outage", ...flags]);
  expect(exitCode).toBe(4);
  const results = out.split("\n").map((line) => line.split(/ {2,}/)[0]);
  expect(results.slice(1, 6)).toEqual([
    ...Array.from({ length: 3 }, () => "not evaluated"),
    "ok",
    "ok",
  ]);
  expect(out).toMatch(
    /^not evaluated +p95 > 54s over 20s +at least 57\d{3} ms in windows with requests not sent/m,
  );
  expect((await program.run(["check", "healthy", ...flags])).exitCode).toBe(0);
});

test("growth is not evaluated either if those requests would break it", async () => {
  const flags = ["--against", "healthy", "--fail-if", "p95 grows > 10%"];
  const ofEndpoint = "GET /cart: p95 grows > 10%";
  const { out } = await program.run(["check", "outage", ...flags, "--fail-if", ofEndpoint]);
  expect(out).toMatch(/^not evaluated +p95 grows > 10%/m);
  expect(out).toMatch(/^not evaluated +GET \/cart: p95 grows > 10%/m);
  const back = await program.run(["check", "healthy", "--against", "outage", ...flags.slice(2)]);
  expect(back.exitCode).toBe(0);
});

test("growth over pairs is not evaluated either if those requests would break it", async () => {
  const pairs = ["healthy:outage", "healthy-2:outage-2"];
  const limits = ["--fail-if", "GET /cart: p95 grows > 10%", "--fail-if", "errors grows > 1%"];
  const { exitCode, out } = await program.run(["check", "--pairs", ...pairs, ...limits]);
  expect(exitCode).toBe(4);
  expect(out).toMatch(
    /^not evaluated +GET \/cart: p95 grows > 10%.* to .*: not all requests were sent$/m,
  );
  expect(out).toMatch(/^ok +errors grows > 1%/m);
  expect(out).toContain("the load generator waited");
});

test("a change is not evaluated either if those requests might be one", async () => {
  for (let night = 0; night < 7; night++) {
    const text = resultsOf(night === 6 ? OUTAGE : [], 1_700_000_000_000 + night * 86_400_000);
    await program.run(["import", "-", "--id", `night-${night}`, "--name", "nightly"], text);
  }
  const limits = ["p95 changed", "GET /cart: avg changed", "errors changed"];
  const flags = limits.flatMap((limit) => ["--fail-if", limit]);
  const changesOf = async (id: string) => {
    const words = ["check", id, "--against-history", "nightly", "--json", ...flags];
    const { exitCode, out } = await program.run(words);
    const checked = JSON.parse(out) as { readonly outcome: string }[];
    return [exitCode, ...checked.map(({ outcome }) => outcome)];
  };
  expect(await changesOf("night-6")).toEqual([4, "notEvaluated", "notEvaluated", "kept"]);
  expect(await changesOf("night-5")).toEqual([0, "kept", "kept", "kept"]);
});

test("a run without a stall passes", async () => {
  expect((await check("healthy")).exitCode).toBe(0);
});

test("the summary says so, too", async () => {
  const { out } = await program.run(["summary", "outage"]);
  expect(out).toMatch(
    /during 22:18:\d\d to 22:19:\d\d UTC the load generator waited: about 1,\d{3}/,
  );
});
