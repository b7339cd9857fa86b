import { parse } from "csv-parse/sync";
import { expect, test } from "vitest";
import { exactPercentile } from "../../../test/support/exact-percentile.ts";
import { createFakeProgram } from "../../../test/support/fake-program.ts";

test("summary --csv prints a row for all endpoints and one for each, times in seconds", async () => {
  const program = createFakeProgram();
  const rows = '1700000000000,100,"a ""b"", =c",true,10\n1700000001000,300,=sum(1),false,30\n';
  await program.run(
    ["import", "-", "--id", "sum"],
    `timeStamp,elapsed,label,success,bytes\n${rows}`,
  );
  const { exitCode, out } = await program.run(["summary", "sum", "--csv"]);
  expect(exitCode).toBe(0);
  const [head = [], ...table] = parse(out);
  const figures = table.map((row) => {
    const cells = Object.fromEntries(head.map((name, column) => [name, row[column]]));
    return [cells["label"], cells["count"], cells["errRate"], cells["avgLoadTime"], cells["apdex"]];
  });
  expect(figures).toEqual([
    ["(all)", "2", "0.5", "0.2", ""],
    ["'=sum(1)", "1", "1", "0.3", ""],
    ['a "b", =c', "1", "0", "0.1", ""],
  ]);
});

test("a few requests in an hour are some per second", async () => {
  const program = createFakeProgram();
  const rows = "1700000000000,100,a,true,10\n1700003600000,100,a,true,10\n";
  await program.run(
    ["import", "-", "--id", "slow"],
    `timeStamp,elapsed,label,success,bytes\n${rows}`,
  );
  const { out } = await program.run(["summary", "slow"]);
  expect(out).toMatch(/ 100 ms +< 0\.1 +20 B +\(all\)/);
  expect(out).not.toMatch(/ 0\.0 /);
});

test("summary --percentiles adds any percentile to the table, the CSV and the JSON", async () => {
  const program = createFakeProgram();
  // Whole milliseconds below 64 ms are exact.
  const times = Array.from({ length: 1003 }, (_, index) => 1 + ((index * 37) % 61));
  const rows = times.map((time, index) => `${1_700_000_000_000 + index * 100},${time},a,true,1\n`);
  await program.run(
    ["import", "-", "--id", "any"],
    `timeStamp,elapsed,label,success,bytes\n${rows.join("")}`,
  );
  const run = async (...more: string[]) =>
    (await program.run(["summary", "any", "--percentiles", "75,0.05,12.34", ...more])).out;
  const [p75, low, odd] = [75, 0.05, 12.34].map((percent) => exactPercentile(times, percent));
  expect(await run()).toMatch(/ P75 +P0\.05 +P12\.34 +ENDPOINT/);
  expect(await run()).toMatch(new RegExp(` ${p75} ms +${low} ms +${odd} ms +\\(all\\)`));
  const [all = {}] = parse(await run("--csv"), { columns: true }) as Record<string, string>[];
  const cells = ["p75", "p0.05", "p12.34"].map((name) => Number(all[`percentiles.${name}`]) * 1000);
  expect(cells).toEqual([p75, low, odd]);
  const inSeconds = [p75, low, odd].map((time = Number.NaN) => time / 1000);
  expect(JSON.parse(await run("--json"))).toMatchObject({
    endpoints: [
      {
        percentiles: { p75: inSeconds[0], "p0.05": inSeconds[1], "p12.34": inSeconds[2] },
      },
    ],
  });
});

test.each(["0", "100", "75,", "99.999", "p75", "1,2,3,4,5,6,7,8,9,10,11"])(
  "--percentiles %s is refused",
  async (percentiles) => {
    const program = createFakeProgram();
    expect(await program.run(["summary", "any", "--percentiles", percentiles])).toMatchObject({
      exitCode: 2,
      error: expect.stringContaining("above 0 and below 100"),
    });
  },
);
