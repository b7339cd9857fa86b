import { execFileSync } from "node:child_process";
import {
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { parquetMetadata } from "hyparquet";
import { expect, test } from "vitest";
import { createFakeProgram } from "../../../test/support/fake-program.ts";
import { openMemoryStore } from "../../../test/support/memory-store/memory-store.ts";
import { NO_MEASUREMENTS } from "../../live/append-fitting.ts";
import { ALL_SECONDS } from "../../model/columns.ts";
import { readMeasures, readMeasureSeries } from "../../query/read-measures.ts";
import { readUsers } from "../../query/read-users.ts";
import { batchOf } from "../../../test/support/batches.ts";
import { testFolder } from "../../../test/support/test-folder.ts";

const folder = testFolder();

const FIXTURES = path.join(import.meta.dirname, "../../../test/fixtures");

const JTL =
  "timeStamp,elapsed,label,responseCode,responseMessage,success,bytes,grpThreads,allThreads,Hostname\n" +
  "1700000000000,20,GET /,200,OK,true,100,2,2,a\n" +
  "1700000000500,40,GET /,503,Busy,false,5,2,3,a\n" +
  "1700000001000,30,购物车,200,OK,true,70,1,1,b\n";

test("an exported run gives the same results when imported again", async () => {
  const program = createFakeProgram();
  await program.run(["import", "-", "--id", "one"], JTL);
  const file = path.join(folder, "one.parquet");
  const exported = await program.run(["export", "one", "-o", file]);
  expect(exported).toMatchObject({ exitCode: 0, out: "" });
  expect(exported.error).toContain("one.parquet: ");
  expect(readdirSync(folder)).toEqual(["one.parquet"]);
  expect(await program.run(["import", file, "--id", "two"])).toMatchObject({ exitCode: 0 });
  for (const words of [
    ["metrics", "--filter", "GET", "--format", "csv"],
    ["metrics", "--filter", "购物车"],
    ["summary", "--json"],
    ["failures", "--json"],
  ]) {
    const [command = "", ...flags] = words;
    const one = await program.run([command, "one", ...flags]);
    expect(one.out.length).toBeGreaterThan(100);
    expect(await program.run([command, "two", ...flags])).toEqual(one);
  }
});

test("measures of an exported run are the same when it is imported again", async () => {
  const store = { ...openMemoryStore(), close: async () => {} };
  const program = createFakeProgram(store);
  const results = path.join(
    import.meta.dirname,
    "../../../test/fixtures/k6-json/gen-k6-1.8.1-main.json.gz",
  );
  await program.run(["import", results, "--id", "one"]);
  const file = path.join(folder, "measures.parquet");
  await program.run(["export", "one", "-o", file]);
  expect(await program.run(["import", file, "--id", "two"])).toMatchObject({ exitCode: 0 });
  const [one, two] = await Promise.all(
    ["one", "two"].map(async (loadTestId) => {
      const query = { loadTestId, range: undefined };
      const all = await readMeasures(store.points, query);
      const over = { ...query, isMerged: false, limit: 2000, resolutionSeconds: 1 };
      const series = await readMeasureSeries(store.points, over);
      return { all, series };
    }),
  );
  expect(one?.all.measures.length).toBeGreaterThan(20);
  expect(two).toEqual(one);
});

test("transactions with facets and measures stay transactions after an export", async () => {
  const program = createFakeProgram();
  const results = path.join(FIXTURES, "jmeter-xml/gen-jmeter-5.6.3-default.jtl.gz");
  await program.run(["import", results, "--id", "one"]);
  const file = path.join(folder, "transactions.parquet");
  await program.run(["export", "one", "-o", file]);
  await program.run(["import", file, "--id", "two"]);
  const [one, two] = await Promise.all(
    ["one", "two"].map(async (id) => {
      const { overall, leftOut, endpoints } = JSON.parse(
        (await program.run(["summary", id, "--json"])).out,
      );
      return { overall, leftOut, endpoints };
    }),
  );
  expect(one?.leftOut).toEqual({ transactions: 2, subresults: 4 });
  expect(two).toEqual(one);
});

test.each([
  ["measures of servers", ["metrics-by-endpoint"]],
  ["measures of servers and no endpoints", ["no-plugin-named"]],
  ["another file", ["metrics-by-endpoint", "namespace"]],
])("a run with %s has the same figures after an export", async (_, files) => {
  const store = { ...openMemoryStore(), close: async () => {} };
  const program = createFakeProgram(store);
  for (const each of files) {
    const file = path.join(FIXTURES, `artillery/gen-artillery-2.0.34-${each}.json.gz`);
    await program.run(["import", file, "--id", "one"]);
  }
  const read = { rejectedRows: 0, measurements: [{ name: "cpu", values: 3 }] };
  const about = { loadTestId: "one", format: "line-measures", quality: read };
  await store.points.append(batchOf([], about));
  const file = path.join(folder, "reported.parquet");
  await program.run(["export", "one", "-o", file]);
  await program.run(["import", file, "--id", "two"]);
  const [one, two] = await Promise.all(
    ["one", "two"].map(async (id) => {
      const { out } = await program.run(["summary", id, "--json"]);
      const { overall, endpoints, quality } = JSON.parse(out);
      return { overall, endpoints, codes: quality.map(({ code }: { code: string }) => code) };
    }),
  );
  expect(JSON.stringify(one).includes('"reported"')).toBe(files.length === 1);
  // The remark that several sources cannot be merged is lost with them.
  expect(two).toEqual({
    ...one,
    codes: one?.codes.filter((code: string) => code !== "percentiles-not-merged"),
  });
});

function line(second: number, users: number, host: string): string {
  return `${1_700_000_000_000 + second * 1000},20,GET /,200,OK,true,100,${users},${users},${host}\n`;
}

test.each([
  // What the second part says of the shared second holds after it.
  ["", [[4, 49]]],
  // As in one file, the largest number of a second holds.
  ["a", []],
])(
  'active users of two parts of a file of the host "%s" are the same after an export',
  async (host, after) => {
    const store = { ...openMemoryStore(), close: async () => {} };
    const program = createFakeProgram(store);
    const [header = ""] = JTL.split("\n");
    const first = [line(0, 30, host), line(3, 50, host)];
    const second = [line(3, 49, host), line(7, 40, host), line(9, 5, host)];
    await program.run(["import", "-", "--id", "one"], [`${header}\n`, ...first].join(""));
    await program.run(["import", "-", "--id", "one"], [`${header}\n`, ...second].join(""));
    const file = path.join(folder, "parts.parquet");
    await program.run(["export", "one", "-o", file]);
    await program.run(["import", file, "--id", "two"]);
    for (const loadTestId of ["one", "two"]) {
      const points = await readUsers(store.points, { loadTestId, range: ALL_SECONDS });
      expect(points.map((each) => [each.second - 1_700_000_000, each.users])).toEqual([
        [0, 30],
        [3, 50],
        ...after,
        [7, 40],
        [9, 5],
        [10, 0],
      ]);
    }
  },
);

test("row groups stay small where histograms are dense", async () => {
  const program = createFakeProgram();
  const lines = Array.from({ length: 240_000 }, (_, index) => {
    const elapsed = Math.floor(Math.exp((index % 600) / 55));
    return `${1_700_000_000_000 + Math.floor(index / 600) * 1000},${elapsed},GET /,200,OK,true,100\n`;
  });
  const header = "timeStamp,elapsed,label,responseCode,responseMessage,success,bytes\n";
  await program.run(["import", "-", "--id", "dense"], header + lines.join(""));
  const file = path.join(folder, "dense.parquet");
  await program.run(["export", "dense", "-o", file]);
  const { row_groups: groups, num_rows: rows } = parquetMetadata(
    new Uint8Array(readFileSync(file)).buffer,
  );
  expect(rows).toBe(400n);
  const values = groups.map(({ columns }) =>
    columns.reduce((sum, { meta_data: column }) => sum + Number(column?.num_values), 0),
  );
  expect(Math.max(...values)).toBeLessThan(105_000);
  expect(values.length).toBeGreaterThan(1);
});

test("an export is not added to a run that has data", async () => {
  const program = createFakeProgram();
  await program.run(["import", "-", "--id", "one"], JTL);
  const file = path.join(folder, "again.parquet");
  await program.run(["export", "one", "-o", file]);
  const before = await program.run(["summary", "one", "--json"]);
  const { exitCode, error } = await program.run(["import", file, "--id", "one"]);
  expect(exitCode).toBe(1);
  expect(error).toContain('"one" has data already; give another --id');
  expect(await program.run(["summary", "one", "--json"])).toEqual(before);
  await program.run(["import", file, "--id", "two"]);
  const repeated = await program.run(["import", file, "--id", "two"]);
  expect(repeated.exitCode).toBe(0);
  expect(repeated.out).toContain("already imported");
});

test("spans of services do not keep an export from its own run", async () => {
  const store = openMemoryStore();
  const program = createFakeProgram({ ...store, close: async () => {} });
  await program.run(["import", "-", "--id", "one"], JTL);
  const file = path.join(folder, "spans.parquet");
  await program.run(["export", "one", "-o", file]);
  await program.run(["import", file, "--id", "two"]);
  const span = { traceId: "1a", spanId: "2b", parentId: "", service: "shop", operation: "read" };
  const { labels, points } = NO_MEASUREMENTS;
  const named = { loadTestId: "two", sourceId: "child-spans", format: "child-spans" };
  const batch = { ...named, visibility: "live", sequence: 0, labels, points } as const;
  await store.points.append({ ...batch, samples: [{ ...span, elapsedMicros: 5 }] });
  const { exitCode, out } = await program.run(["import", file, "--id", "two"]);
  expect({ exitCode, out }).toMatchObject({
    exitCode: 0,
    out: expect.stringContaining("already imported"),
  });
});

test("an unknown run leaves an existing file alone", async () => {
  const program = createFakeProgram();
  await program.run(["import", "-", "--id", "one"], JTL);
  const file = path.join(folder, "kept.parquet");
  await program.run(["export", "one", "-o", file]);
  const before = statSync(file).size;
  const { exitCode, error } = await program.run(["export", "none", "-o", file]);
  expect([exitCode, error]).toEqual([1, 'error: there is no run "none"\n']);
  expect(statSync(file).size).toBe(before);
  expect(readdirSync(folder).filter((name) => name.includes("partial"))).toEqual([]);
});

test("writes through a link and to a pipe", async () => {
  const program = createFakeProgram();
  await program.run(["import", "-", "--id", "one"], JTL);
  const [target, link, pipe] = ["target", "link", "pipe"].map((name) => path.join(folder, name));
  if (target === undefined || link === undefined || pipe === undefined) throw new Error("no path");
  writeFileSync(target, "before");
  symlinkSync(target, link);
  await program.run(["export", "one", "-o", link]);
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  const bytes = readFileSync(target);
  expect(bytes.toString("latin1", 0, 4)).toBe("PAR1");
  execFileSync("mkfifo", [pipe]);
  const [received] = await Promise.all([
    readFile(pipe),
    program.run(["export", "one", "-o", pipe]),
  ]);
  expect(received.equals(bytes)).toBe(true);
  expect(lstatSync(pipe).isFIFO()).toBe(true);
});

test("an error names a file that cannot be written", async () => {
  const program = createFakeProgram();
  await program.run(["import", "-", "--id", "one"], JTL);
  const file = path.join(folder, "no", "such.parquet");
  const { exitCode, error } = await program.run(["export", "one", "-o", file]);
  expect(exitCode).toBe(2);
  expect(error).toMatch(/^error: --output: cannot write ".*such\.parquet": ENOENT/);
});

test("rejects following a Parquet file", async () => {
  const program = createFakeProgram();
  await program.run(["import", "-", "--id", "one"], JTL);
  const file = path.join(folder, "live.parquet");
  await program.run(["export", "one", "-o", file]);
  const { exitCode, error } = await program.run(["import", "--follow", file, "--id", "live"]);
  expect(exitCode).toBe(2);
  expect(error).toContain("tachograph-parquet cannot be followed: import it when it is complete");
});
