/**
 * Reads exported runs with DuckDB and compares every endpoint and second with `GET /Api/Metrics`, every series of measures
 * with `GET /Api/LoadTests/{id}/Measures`, and every value of a facet with `GET /Api/LoadTests/{id}/Facets`:
 *
 *     npm run task test:parquet [-- --require]
 *
 * Exits with 1 if anything differs, or, with --require, if DuckDB cannot be installed.
 */

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { runTachograph } from "../support/run-tachograph.ts";
import { installTool } from "./install.ts";
import { runCommand } from "./run-command.ts";

const VERSION = "1.5.5";

const RUNS = [
  "jmeter-csv/gen-jmeter-5.6.3-default.jtl.gz",
  "jmeter-xml/gen-2.13-xml-full-data.jtl.gz",
  "k6-csv/gen-k6-1.8.1-main.csv.gz",
  "k6-json/gen-k6-1.8.1-main.json.gz",
  "gatling-text/gen-gatling-3.12.0.simulation.log.gz",
  "gatling-binary/gen-gatling-3.15.1.simulation.log.gz",
  "artillery/gen-artillery-2.0.34-metrics-by-endpoint.json.gz",
  "goose/gen-goose-0.19.0-csv-requests.csv.gz",
  "har/gen-har-playwright-1.65.1-full.har.gz",
  "locust/gen-locust-2.47.0-full-history_stats_history.csv.gz",
];

/** Prints the number of compared rows and the first differences. */
const COMPARE = `
import duckdb, json, sys
file, metrics = sys.argv[1], json.load(open(sys.argv[2], encoding="utf-8"))
rows = duckdb.sql(f"""
  select label, second, sum(requests), sum(failed_requests), sum(elapsed_micros), sum(requests - untimed_requests),
    sum(failed_elapsed_micros), sum(failed_requests - untimed_failed_requests), sum(received_bytes),
    sum(failed_received_bytes), sum(list_sum(bucket_requests))
  from '{file}' where requests > 0 and contains(label, 'e') group by all
""").fetchall()
def quotient(a, b):
    return 0 if b == 0 else (a or 0) / b
found = {(row[0], row[1]): row[2:] for row in rows}
differences, compared = [], 0
for item in metrics:
    head, *points = item["data"]
    for values in points:
        point = dict(zip(head, values))
        compared += 1
        n, failed, micros, timed, failed_micros, failed_timed, size, failed_size, _ = found.pop((item["label"], int(point["Timestamp"])))
        expected = [n, failed, quotient(micros, timed * 1e6), quotient(failed_micros, failed_timed * 1e6), quotient(size, n), quotient(failed_size, failed)]
        names = ["count", "errCount", "avgLoadTime", "errAvgLoadTime", "downloadSize", "errDownloadSize"]
        for name, want in zip(names, expected):
            if abs(float(point[name]) - want) > 6e-7:
                differences.append(f"{item['label']} {point['Timestamp']} {name}: {point[name]}, DuckDB {want}")
if found:
    differences.append(f"only in the Parquet file: {list(found)[:3]}")
measures = json.load(open(sys.argv[3], encoding="utf-8"))["measures"]
rows = duckdb.sql(f"""
  select measure, unit, kind, tags, label, sum(value_count), sum(value_sum), min(value_min), max(value_max),
    arg_max(value_last, second), max(value_p95), sum(list_sum(bucket_counts)),
    min(second) filter (value_count > 0), max(second) filter (value_count > 0),
    count(*) filter (kind = 'distribution' and value_count is null)
  from '{file}' where measure is not null group by all
""").fetchall()
found = {(m, u, k, json.dumps(json.loads(t)), l): row for m, u, k, t, l, *row in rows}
for item in measures:
    label = item.get("endpoint", {}).get("label")
    count, total, least, most, last, p95, counted, first, end, minutes = found.pop((item["name"], item["unit"], item["kind"], json.dumps(item["tags"]), label))
    compared += 1
    expected = {"count": count, "sum": total, "min": least, "max": most, "from": first, "until": end}
    if item["kind"] == "gauge":
        expected["last"] = last
    if item["kind"] == "distribution" and minutes == 1:
        expected["p95"] = p95
    if counted is not None and counted != count:
        differences.append(f"{item['name']}: {counted} values in buckets of {count}")
    for name, want in expected.items():
        if name in item and abs(item[name] - want) > 1e-9 * max(1, abs(want)):
            differences.append(f"{item['name']} {label} {name}: {item[name]}, DuckDB {want}")
if found:
    differences.append(f"measures only in the Parquet file: {list(found)[:3]}")
for facet in json.load(open(sys.argv[4], encoding="utf-8"))["facets"]:
    name = facet["name"]
    rows = duckdb.sql(f"""
      select coalesce("facet.{name}", '(none)'), sum(requests) from '{file}'
      where requests > 0 and role is null group by all
    """).fetchall()
    compared += len(rows)
    if dict(rows) != {each["value"]: each["requests"] for each in facet["values"]}:
        differences.append(f"facet {name}: {facet['values'][:5]}, DuckDB {rows[:5]}")
print(json.dumps([compared, differences[:10]]))
`;

async function main(): Promise<number> {
  let python: string;
  try {
    const folder = await installTool({ name: "duckdb", version: VERSION, install });
    python = path.join(folder, "venv", "bin", "python");
  } catch (error) {
    console.log(`SKIPPED  DuckDB ${VERSION}: it cannot be installed: ${String(error)}`);
    return process.argv.includes("--require") ? 1 : 0;
  }
  const folder = mkdtempSync(path.join(tmpdir(), "tachograph-parquet-"));
  try {
    let failed = 0;
    for (const [index, run] of RUNS.entries()) {
      const [compared, differences] = await compare(python, folder, { id: `run-${index}`, run });
      const isEqual = compared > 0 && differences.length === 0;
      console.log(`${isEqual ? "equal  " : "DIFFERS"}  ${run}: ${compared} points and series`);
      for (const line of differences) console.log(`         ${line}`);
      if (!isEqual) failed += 1;
    }
    return failed === 0 ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function install(folder: string): Promise<void> {
  const log = path.join(folder, "install.log");
  await runCommand("python3", ["-m", "venv", "venv"], { cwd: folder, log });
  const packages = ["-m", "pip", "install", "--quiet", `duckdb==${VERSION}`];
  await runCommand(path.join(folder, "venv", "bin", "python"), packages, { cwd: folder, log });
}

async function compare(
  python: string,
  folder: string,
  { id, run }: { readonly id: string; readonly run: string },
): Promise<readonly [compared: number, differences: readonly string[]]> {
  const data = path.join(folder, "data");
  const file = path.join(import.meta.dirname, "../fixtures", run);
  await runTachograph(["import", file, "--id", id, "--data", data]);
  const parquet = path.join(folder, `${id}.parquet`);
  await runTachograph(["export", id, "-o", parquet, "--data", data]);
  const words = ["metrics", id, "--filter", "e", "--format", "csv", "--data", data];
  const metrics = path.join(folder, `${id}.json`);
  writeFileSync(metrics, (await runTachograph(words)).out);
  const measures = path.join(folder, `${id}-measures.json`);
  writeFileSync(measures, (await runTachograph(["measures", id, "--json", "--data", data])).out);
  const facets = path.join(folder, `${id}-facets.json`);
  writeFileSync(facets, (await runTachograph(["facets", id, "--json", "--data", data])).out);
  const files = [parquet, metrics, measures, facets];
  const { stdout, stderr } = spawnSync(python, ["-c", COMPARE, ...files], { encoding: "utf8" });
  if (stdout === "") return [0, [stderr.trim()]];
  return JSON.parse(stdout) as [number, string[]];
}

process.exitCode = await main();
