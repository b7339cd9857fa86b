import { expect, test } from "vitest";
import { createFakeProgram } from "../../../test/support/fake-program.ts";

const START_MS = 1_790_000_000_000;

/** A request a second, failed from second 20 to 29. */
const ROWS = Array.from({ length: 60 }, (_, second) => {
  const success = second < 20 || second >= 30;
  return `${START_MS + second * 1000},10,GET /,${success},10\n`;
}).join("");

async function importedRun() {
  const program = createFakeProgram();
  await program.run(
    ["import", "-", "--id", "run"],
    `timeStamp,elapsed,label,success,bytes\n${ROWS}`,
  );
  return program;
}

test("a broken window is reported with its figures and fails the check", async () => {
  const program = await importedRun();
  const limits = ["errors > 90% over 4s", "errors > 90% over 6s", "GET /: p95 > 1s over 5s"];
  const flags = limits.flatMap((limit) => ["--fail-if", limit]);
  const { exitCode, out } = await program.run(["check", "run", ...flags]);
  expect(exitCode).toBe(4);
  const lines = out.split("\n");
  expect(lines[1]).toMatch(
    /^FAILED +errors > 90% over 4s +100 %, 4 of 4 requests from 14:13:44 to 14:13:48 UTC$/,
  );
  // Ten seconds do not hold two windows of six.
  expect(lines[2]).toMatch(/^ok +errors > 90% over 6s +at worst 100 %, 6 of 6 requests/);
  expect(lines[3]).toMatch(/^ok +GET \/: p95 > 1s over 5s +at worst 10 ms, 5 requests/);
  const { out: json } = await program.run(["check", "run", "--json", ...flags]);
  expect(JSON.parse(json)).toMatchObject([
    { outcome: "broken", window: { from: 1_790_000_024, until: 1_790_000_028, requests: 4 } },
    { outcome: "kept" },
    { outcome: "kept" },
  ]);
});

test("a watched run that has a broken window ends with 4, one without is checked as a whole", async () => {
  const program = await importedRun();
  const watch = ["check", "run", "--watch", "--fail-if"];
  const broken = await program.run([...watch, "errors > 90% over 4s"]);
  expect(broken.exitCode).toBe(4);
  expect(broken.error).toMatch(/UTC broken: errors > 90% over 4s: 100 %, 4 of 4 requests/);
  await program.run(["tests", "finish", "run"]);
  const kept = await program.run([...watch, "errors > 90% over 6s", "--fail-if", "errors > 1%"]);
  expect([kept.exitCode, kept.error]).toEqual([4, ""]);
  expect(kept.out).toMatch(/FAILED +errors > 1% +16.7 %/);
});

test("a watched run is judged from --from on", async () => {
  const program = await importedRun();
  const watch = ["check", "run", "--watch", "--fail-if", "errors > 90% over 4s"];
  const { error } = await program.run([...watch, "--from", `${START + 22}`]);
  // The second window after second 22 of the run: date -u -d @1790000026
  expect(error).toMatch(/4 of 4 requests from 14:13:46 to 14:13:50 UTC/);
});

test("the end that --skip-end leaves out breaks nothing while a run is watched", async () => {
  const program = await importedRun();
  // Ten more requests a second at the end.
  const rows = Array.from(
    { length: 100 },
    (_, at) => `${START_MS + 50_000 + at * 100},10,GET /,true,10\n`,
  );
  await program.run(
    ["import", "-", "--id", "run"],
    `timeStamp,elapsed,label,success,bytes\n${rows.join("")}`,
  );
  const limits = ["--fail-if", "requests > 30 over 4s", "--fail-if", "errors > 90% over 4s"];
  const watch = ["check", "run", "--watch", ...limits];
  expect((await program.run(watch)).error).toContain("broken: requests > 30");
  const { error } = await program.run([...watch, "--skip-end", "12s"]);
  expect(error).toContain("broken: errors > 90%");
});

test("only --watch ends the load", async () => {
  const program = await importedRun();
  const { exitCode, error } = await program.run([
    "check",
    "run",
    "--stop-pid",
    "1",
    "--fail-if",
    "errors > 1",
  ]);
  expect(exitCode).toBe(2);
  expect(error).toContain("--stop-command and --stop-pid: expected --watch as well");
});

const START = START_MS / 1000;

test.each([
  ["errors > 90% over 6s", ["--from", `${START + 10}`], "kept"],
  ["errors > 90% over 4s", ["--from", `${START + 10}`], "broken"],
  ["throughput < 1/s over 5s", ["--from", `${START + 10}`], "kept"],
  ["throughput < 1/s over 5s", ["--until", `${START + 40}`], "kept"],
  ["throughput < 1/s over 5s", ["--from", `${START - 60}`, "--until", `${START + 120}`], "kept"],
])("%s with %j has the windows of the run alone: %s", async (limit, range, outcome) => {
  const program = await importedRun();
  const { out } = await program.run(["check", "run", "--json", "--fail-if", limit, ...range]);
  expect(JSON.parse(out)).toMatchObject([{ outcome }]);
});

test("--from and --until are refused with a change in a history", async () => {
  const program = await importedRun();
  const { name } = JSON.parse((await program.run(["tests", "show", "run", "--json"])).out);
  const check = ["check", "run", "--against-history", name, "--fail-if", "p95 changed"];
  expect((await program.run(check)).exitCode).toBe(0);
  const { exitCode, error } = await program.run([...check, "--from", `${START + 10}`]);
  expect(exitCode).toBe(2);
  expect(error).toContain('"p95 changed" judges whole runs: expected --skip-start and --skip-end');
});

test("a threshold over windows changes nothing for others on measures of a run without requests", async () => {
  const program = createFakeProgram();
  const lines = Array.from({ length: 60 }, (_, second) => {
    return `cpu,host=a usage=90 ${START_MS + second * 1000}000000\n`;
  });
  await program.run(["import", "-", "--id", "measured"], lines.join(""));
  const start = START_MS / 1000;
  const range = ["--from", `${start}`, "--until", `${start + 40}`];
  const limits = ["measure cpu.usage: avg > 95", "measure cpu.usage: avg > 80 over 5s"];
  const flags = limits.flatMap((limit) => ["--fail-if", limit]);
  const { out } = await program.run(["check", "measured", ...range, ...flags]);
  expect(out).toMatch(/^ok +measure cpu.usage: avg > 95 +90$/m);
  expect(out).toMatch(/^FAILED +measure cpu.usage: avg > 80 over 5s +90, 5 values from/m);
});

test("a threshold over windows hides no value of a measure in the range that others judge", async () => {
  const program = await importedRun();
  const lines = Array.from({ length: 90 }, (_, second) => {
    const usage = second < 60 ? 20 : 99;
    return `cpu,host=a usage=${usage} ${START_MS + second * 1000}000000\n`;
  });
  await program.run(["import", "-", "--id", "run"], lines.join(""));
  const start = START_MS / 1000;
  const range = ["--from", `${start}`, "--until", `${start + 90}`];
  // The last request is in second 59, the last value in second 89.
  for (const others of [[], ["--fail-if", "requests < 1 over 5s"]]) {
    const limit = ["--fail-if", "measure cpu.usage: max > 95", ...others];
    const { exitCode, out } = await program.run(["check", "run", ...range, ...limit]);
    expect(out).toMatch(/^FAILED +measure cpu.usage: max > 95 +99$/m);
    expect(out).not.toMatch(/FAILED +requests/);
    expect(exitCode).toBe(4);
  }
});

test.each([
  ["throughput{region=eu} < 0.5/s over 10s", []],
  ["GET /cart: throughput{region=eu} < 0.5/s over 10s", []],
  ["throughput < 0.5/s over 10s", ["--filter", "cart"]],
  ["throughput < 0.5/s over 10s", ["--where", "region:eu"]],
  ["measure depth: avg > 5 over 10s", ["--filter", "cart"]],
])(
  "%s with %j is looked for in the whole run, not only while these requests lasted",
  async (limit, more) => {
    const program = createFakeProgram();
    const rows = Array.from({ length: 60 }, (_, second) => {
      const at = 1_790_000_000 + second;
      // For the last half minute, nothing comes from there.
      const own = second < 30 ? `${at},GET /cart,10,true,eu\n` : "";
      return `${at},GET /,10,true,us\n${own}`;
    });
    const head = "timestamp,label,elapsedMs,success,facet.region\n";
    await program.run(["import", "-", "--id", "run"], head + rows.join(""));
    const depth = Array.from(
      { length: 60 },
      (_, second) => `depth value=${second < 30 ? 1 : 9} ${1_790_000_000 + second}000000000`,
    );
    await program.run(["import", "-", "--id", "run"], depth.join("\n"));
    const { exitCode, out } = await program.run(["check", "run", ...more, "--fail-if", limit]);
    expect([exitCode, out]).toEqual([4, expect.stringMatching(/^FAILED .* from 14:13:\d\d to /m)]);
  },
);

test("where a window is looked for does not depend on other thresholds", async () => {
  const program = createFakeProgram();
  // A transaction begins five seconds before the first request that counts.
  const rows = Array.from({ length: 60 }, (_, second) => {
    const at = 1_790_000_000 + second;
    return `${at * 1000},9000,Buy,200,"Number of samples in transaction : 1, number of failing samples : 0",true,10,null\n${(at + 5) * 1000},10,GET /,200,OK,true,10,http://a/\n`;
  });
  const head = "timeStamp,elapsed,label,responseCode,responseMessage,success,bytes,URL\n";
  await program.run(["import", "-", "--id", "run"], head + rows.join(""));
  const check = async (...limits: readonly string[]) => {
    const flags = limits.flatMap((limit) => ["--fail-if", limit]);
    const { out } = await program.run(["check", "run", "--json", ...flags]);
    return JSON.parse(out)[0].outcome;
  };
  const limit = "requests < 1 over 1s";
  expect(await check(limit)).toBe("kept");
  expect(await check(limit, "Buy: max > 100s")).toBe("kept");
});

test("no window before the first request counts while watched, though a transaction began earlier", async () => {
  const program = createFakeProgram();
  const head = "timeStamp,elapsed,label,responseMessage,dataType,success,bytes\n";
  const transaction = `${START_MS - 30_000},31000,T,"Number of samples in transaction : 1, number of failing samples : 0",,true,10\n`;
  const rows = Array.from(
    { length: 60 },
    (_, second) => `${START_MS + second * 1000},10,GET /,OK,text,true,10\n`,
  );
  await program.run(["import", "-", "--id", "run"], head + transaction + rows.join(""));
  const limits = ["--fail-if", "requests < 5 over 10s", "--fail-if", "requests > 9 over 10s"];
  const { out } = await program.run(["check", "run", ...limits]);
  expect(out).toMatch(/^ok +requests < 5/m);
  const { error } = await program.run(["check", "run", "--watch", ...limits]);
  expect(error).toContain("broken: requests > 9 over 10s");
});
