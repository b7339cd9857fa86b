import { writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { createFakeProgram } from "../../../test/support/fake-program.ts";
import { testFolder } from "../../../test/support/test-folder.ts";

const HEADER = "timeStamp,elapsed,label,success,bytes\n";

/** Two requests a second, 100 ms each, none failed. */
function rows(count: number, label = "cart"): string {
  return Array.from({ length: count }, (_, index) => {
    return `${1_700_000_000_000 + index * 500},100,${label},true,10\n`;
  }).join("");
}

const program = createFakeProgram();
const folder = testFolder();

beforeAll(async () => {
  const started = rows(39)
    .split("\n")
    .filter((_, index) => index % 2 === 0)
    .map((row) => `${row.split(",").slice(0, 4).join(",").replace(",100,cart", ",cart,100")}\n`)
    .join("");
  const runs = {
    // Of 100 rows, 10 cannot be read.
    damaged: `${HEADER}${rows(90)}${"oops\n".repeat(10)}`,
    truncated: `${HEADER}${rows(90)}17000`,
    whole: HEADER + rows(600),
    "few-damaged": `${HEADER}${rows(600)}${"oops\n".repeat(30)}`,
    unstarted: `timestamp,label,elapsedMs,success\n${started}${"oops,cart,100,false\n".repeat(5)}`,
    // Empty, not unreadable.
    undated: `timestamp,label,elapsedMs,success\n${started}${",cart,100,false\n".repeat(5)}`,
    // Of 10 rows, one.
    measured: `${HEADER.trim()},Latency\n${rows(9).replaceAll(",10\n", ",10,90\n")}oops\n`,
  };
  for (const [id, text] of Object.entries(runs)) {
    await program.run(["import", "-", "--id", id], text);
  }
});
function check(id: string, limit: string, ...more: readonly string[]) {
  return program.run(["check", id, "--fail-if", limit, ...more]);
}

async function outcomeOf(id: string, limit: string, ...more: readonly string[]) {
  const { exitCode, out } = await check(id, limit, "--json", ...more);
  const [{ outcome, possible }] = JSON.parse(out);
  return [exitCode, outcome, possible];
}

/** By hand: the rows that cannot be read may all have failed or passed, and may have been as fast or slow as anything. */
test.each([
  ["errors > 1%", 4, "notEvaluated", { least: 0, most: 0.1 }],
  ["errors > 10%", 0, "kept", undefined],
  ["errors > 5", 4, "notEvaluated", { least: 0, most: 10 }],
  ["requests < 95", 4, "notEvaluated", { least: 90, most: 100 }],
  ["requests < 90", 0, "kept", undefined],
  ["requests < 101", 4, "broken", undefined],
  ["requests == 95", 4, "notEvaluated", { least: 90, most: 100 }],
  ["requests == 89", 0, "kept", undefined],
  // 90 requests in 45 seconds, or 100.
  ["throughput < 2/s", 0, "kept", undefined],
  ["throughput > 2/s", 4, "notEvaluated", { least: 2, most: 100 / 45 }],
  ["p95 > 500ms", 4, "notEvaluated", { least: 0.1 }],
  ["p90 > 500ms", 0, "kept", undefined],
  ["p50 > 50ms", 4, "broken", undefined],
  ["p10 > 50ms", 4, "notEvaluated", { least: 0, most: 0.1 }],
  ["avg > 89ms", 4, "broken", undefined],
  ["avg > 95ms", 4, "notEvaluated", { least: 0.09 }],
  ["max > 50ms", 4, "broken", undefined],
  ["max > 5s", 4, "notEvaluated", { least: 0.1 }],
  ["min < 50ms", 4, "notEvaluated", { least: 0, most: 0.1 }],
  // Any of them may have been of this endpoint.
  ["cart: errors > 1%", 4, "notEvaluated", { least: 0, most: 0.1 }],
])("10 of 100 rows rejected, fails if %s: exit code %d, %s", async (limit, ...expected) => {
  expect(await outcomeOf("damaged", limit)).toEqual(expected);
});

test.each([
  ["errors > 1%", "--allow-rejected=10%", 0, "kept"],
  ["errors > 1%", "--allow-rejected=9.9%", 4, "notEvaluated"],
  ["errors > 1%", "--allow-unknown", 0, "notEvaluated"],
  ["max > 50ms", "--allow-rejected=10%", 4, "broken"],
])("%s with %s: exit code %d, %s", async (limit, flag, ...expected) => {
  expect((await outcomeOf("damaged", limit, flag)).slice(0, 2)).toEqual(expected);
});

test("a share that is no percentage is refused", async () => {
  const { exitCode, error } = await check("damaged", "errors > 1%", "--allow-rejected=0.1");
  expect([exitCode, error]).toEqual([2, expect.stringContaining("expected a percentage")]);
});

test("a file of thresholds allows a share for each of them", async () => {
  const file = path.join(folder, "thresholds.yaml");
  const text =
    "thresholds:\n  - failIf: [errors > 1%]\n    allowRejected: 10%\n  - failIf: [max > 1s]\n";
  await writeFile(file, text);
  const { exitCode, out } = await program.run(["check", "damaged", "--thresholds", file]);
  expect(exitCode).toBe(4);
  expect(out).toMatch(/^ok +errors > 1% +0 %/m);
  expect(out).toMatch(/^not evaluated +max > 1s +at least 100 ms: rows could not be read/m);
  expect(out).toContain("0 of 2 thresholds failed, 1 not evaluated");
  expect(out).toContain('10 rows of "standard input" could not be read');
  await writeFile(file, "thresholds:\n  - failIf: [errors > 1%]\n    allowRejected: some\n");
  const refused = await program.run(["check", "damaged", "--thresholds", file]);
  expect(refused.error).toContain('allowRejected: expected a percentage such as 0.1%, got "some"');
});

test.each([
  ["errors > 1%", 4, "notEvaluated", { least: 0, most: 1 }],
  ["p95 > 500ms", 4, "notEvaluated", { least: 0 }],
  ["requests < 90", 0, "kept", undefined],
  // 90 requests in 45 seconds, and a rest of any length.
  ["throughput < 1/s", 4, "notEvaluated", { least: 0 }],
  ["max > 50ms", 4, "broken", undefined],
])(
  "where the end of a file is missing, fails if %s: exit code %d, %s",
  async (limit, ...expected) => {
    expect(await outcomeOf("truncated", limit)).toEqual(expected);
  },
);

test("growth of a pair without the end of a file has no upper bound", async () => {
  const limit = ["--pairs", "truncated:whole", "--fail-if", "p50 grows > 10%"];
  const { out } = await program.run(["check", ...limit, "--json"]);
  expect(JSON.parse(out)[0]).toMatchObject({ outcome: "notEvaluated", possible: { least: -1 } });
  expect(JSON.parse(out)[0].possible).not.toHaveProperty("most");
});

test("a row without a readable time may have been a value of a measure", async () => {
  const text = `${HEADER}${rows(9)}1700000005000,60,ttft,true,10\n1700000006000,,ttft,true,10\n`;
  await program.run(["import", "-", "--id", "values", "--measure", "ttft"], text);
  expect(await outcomeOf("values", "measure ttft: max > 1000")).toEqual([
    4,
    "notEvaluated",
    undefined,
  ]);
  expect((await outcomeOf("values", "measure ttft: max > 50")).slice(0, 2)).toEqual([4, "broken"]);
});

test.each([
  ["measure latency: max > 1000", [], 4, "notEvaluated"],
  ["measure latency: max > 10", [], 4, "broken"],
  ["measure latency: max > 1000", ["--allow-rejected=10%"], 0, "kept"],
  ["measure none: max > 1000", [], 4, "unmeasured"],
] as const)(
  "a row that cannot be read may have held a value: %s with %j, exit code %d, %s",
  async (limit, more, ...expected) => {
    expect((await outcomeOf("measured", limit, ...more)).slice(0, 2)).toEqual(expected);
    const { out } = await check("measured", limit, ...more);
    expect(out).toContain('1 row of "standard input" could not be read');
  },
);

/** A monitor of JMeter's plug-ins, whose value times 1,000 is its time. */
function cpuRows(values: readonly string[]): string {
  const header = "timeStamp,elapsed,label,threadName,success,grpThreads,allThreads\n";
  return values.reduce(
    (text, value, at) => `${text}170000000${at}000,${value},db CPU,,true,0,0\n`,
    `${header}1700000000000,100,cart,TG 1-1,true,1,1\n`,
  );
}

test.each([
  ["measure CPU: max > 90", [], 4, "notEvaluated"],
  ["measure CPU: max > 40", [], 4, "broken"],
  ["measure CPU: max > 90", ["--allow-rejected=25%"], 0, "kept"],
  ["measure CPU: max > 90", ["--allow-rejected=24%"], 4, "notEvaluated"],
  ["measure Latency: max > 90", [], 4, "unmeasured"],
  ["errors > 1%", [], 0, "kept"],
] as const)(
  "one of four values of a monitor cannot be read: %s with %j, exit code %d, %s",
  async (limit, more, ...expected) => {
    const text = cpuRows(["50000", "oops", "41000", "12000"]);
    await program.run(["import", "-", "--id", "monitored", "--format", "jmeter-csv"], text);
    expect((await outcomeOf("monitored", limit, ...more)).slice(0, 2)).toEqual(expected);
    const { out } = await check("monitored", limit, ...more);
    const note = 'values of "standard input" that could not be read or stored: CPU (1 value)';
    expect(out.includes(note)).toBe(limit.startsWith("measure "));
    expect(out.includes("50 in what could be read")).toBe(expected[1] === "notEvaluated");
  },
);

/** 20 requests, one a second, of 100 ms each; 5 more have failed at an unknown time. */
test.each([
  ["errors > 1%", [], 4, "broken", undefined],
  ["errors > 5", ["--skip-start", "2s"], 0, "kept", undefined],
  ["errors > 1", ["--skip-start", "2s"], 4, "notEvaluated", { least: 0, most: 5 }],
  ["p50 > 1s", ["--skip-start", "2s"], 0, "kept", undefined],
] as const)(
  "rows without a readable start may be in a range: %s with %j, exit code %d, %s",
  async (limit, more, ...expected) => {
    expect(await outcomeOf("unstarted", limit, ...more)).toEqual(expected);
  },
);

test.each([
  ["errors > 30%", [], 0, "kept", undefined],
  ["errors > 10%", ["--skip-start=1"], 4, "notEvaluated", { least: 0, most: 5 / 24 }],
  ["errors > 30%", ["--skip-start=1"], 0, "kept", undefined],
  // In no window, as they have no time.
  ["errors > 10% over 5s", [], 4, "notEvaluated", { least: 0, most: 0.2 }],
] as const)(
  "requests without a time may be in a range: %s with %j, exit code %d, %s",
  async (limit, more, ...expected) => {
    expect(await outcomeOf("undated", limit, ...more)).toEqual(expected);
    const { out } = await check("undated", limit, ...more);
    const note = "5 requests without a known time: time ranges leave them out";
    expect(out.includes(note)).toBe(more.length > 0 || limit.includes("over"));
  },
);

/** 30 of 630 rows: errors may be 4.76 %, p50 is that of the 315th of 630, or the 285th of 600. */
test.each([
  ["errors grows > 1%", "few-damaged", "whole", 4, "notEvaluated"],
  ["errors grows > 5%", "few-damaged", "whole", 0, "kept"],
  ["errors grows > 1%", "whole", "few-damaged", 0, "kept"],
  ["p50 grows > 10%", "few-damaged", "whole", 0, "kept"],
  ["p99 grows > 10%", "few-damaged", "whole", 4, "notEvaluated"],
  ["p99 grows > 10%", "whole", "few-damaged", 0, "kept"],
  ["avg grows > 10%", "few-damaged", "whole", 4, "notEvaluated"],
  // The rows of the base may have been fast ones: 600 of 630 take 100 ms.
  ["avg grows > 10%", "whole", "few-damaged", 0, "kept"],
  ["avg grows > 5%", "whole", "few-damaged", 4, "notEvaluated"],
])("%s of %s since %s: exit code %d, %s", async (limit, id, against, ...expected) => {
  expect((await outcomeOf(id, limit, "--against", against)).slice(0, 2)).toEqual(expected);
});

test("pairs count only if the rows that cannot be read do not matter", async () => {
  const pairs = ["--pairs", "whole:few-damaged", "--json"];
  const outcomes = [];
  for (const limit of ["p50 grows > 10%", "errors grows > 5%", "p99 grows > 10%"]) {
    const { out } = await program.run(["check", ...pairs, "--fail-if", limit]);
    outcomes.push(JSON.parse(out)[0].outcome);
  }
  expect(outcomes).toEqual(["kept", "kept", "notEvaluated"]);
});

test("earlier runs with rejected rows are no level of the history", async () => {
  for (let run = 0; run < 14; run++) {
    const isDamaged = run >= 4 && run < 10;
    const millis = (isDamaged ? 200 : 100) + (run % 2);
    const rowsOfRun = Array.from({ length: 200 }, (_, index) => {
      return `${1_700_000_000_000 + run * 3_600_000 + index * 500},${millis},cart,true,10\n`;
    });
    const text = HEADER + rowsOfRun.join("") + (isDamaged ? "oops\n" : "");
    const id = `nightly-${String(run).padStart(2, "0")}`;
    await program.run(["import", "-", "--id", id, "--name", "nightly"], text);
  }
  const limit = ["--against-history", "nightly", "--fail-if", "p50 changed", "--json"];
  const { exitCode, out } = await program.run(["check", "nightly-13", ...limit]);
  expect([exitCode, JSON.parse(out)[0].outcome]).toEqual([0, "kept"]);
});
