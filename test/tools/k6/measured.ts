import { cpSync, readFileSync } from "node:fs";
import path from "node:path";
import { checksIn, isMeasured, type K6Summary, measureName } from "../../support/k6-summary.ts";
import { runTachograph } from "../../support/run-tachograph.ts";
import { k6 } from "../k6.ts";
import { runCommand } from "../run-command.ts";
import type { Integration } from "../tool.ts";

const SECONDS = 15;
const USERS = 4;

/** A series as `tachograph measures --json` prints it. */
interface Series {
  readonly name: string;
  readonly kind: string;
  readonly endpoint?: unknown;
  readonly tags: Readonly<Record<string, string>>;
  readonly count: number;
  readonly sum: number;
  readonly min?: number;
  readonly max?: number;
  readonly last?: number;
  readonly p95?: number;
}

interface Point {
  readonly metric: string;
  readonly type: string;
  readonly data: { readonly value: number };
}

/** k6 with custom metrics, checks and groups; the reference is its own summary. */
export const k6Measured: Integration = {
  name: "k6-measured",
  version: k6.version,
  isOnDemand: true,
  tool: k6,

  async check({ toolFolder, workFolder, target }) {
    cpSync(path.join(import.meta.dirname, "measured.js"), path.join(workFolder, "measured.js"));
    const outputs = ["--out", "json=run.json", "--out", "csv=run.csv"];
    const summaryFile = ["--no-usage-report", "--quiet", "--summary-export", "summary.json"];
    const words = ["run", ...summaryFile, ...outputs, "measured.js"];
    await runCommand(path.join(toolFolder, "k6"), words, {
      cwd: workFolder,
      log: path.join(workFolder, "console.log"),
      env: {
        TARGET: target.url,
        USERS: `${USERS}`,
        DURATION: `${SECONDS}s`,
        K6_CSV_TIME_FORMAT: "unix_nano",
      },
    });
    const read = (file: string) => readFileSync(path.join(workFolder, file), "utf8");
    const summary = JSON.parse(read("summary.json")) as K6Summary;
    const values = valuesByMetric(read("run.json"));
    const differences: string[] = [];
    for (const file of ["run.json", "run.csv"]) {
      const series = await importedSeries(workFolder, file);
      const found = seriesDifferences(series, summary, values);
      differences.push(...found.map((difference) => `${file}: ${difference}`));
    }
    const metrics = Object.keys(summary.metrics).length;
    const checks = checksIn(summary.root_group).length;
    const requests = summary.metrics["http_reqs"]?.["count"];
    return { differences, figures: `${requests} requests, ${metrics} metrics, ${checks} checks` };
  },
};

async function importedSeries(workFolder: string, file: string): Promise<readonly Series[]> {
  const data = ["--data", path.join(workFolder, `data-${file}`)];
  await runTachograph(["import", path.join(workFolder, file), "--id", "run", ...data]);
  const { out } = await runTachograph(["measures", "run", "--json", ...data]);
  const { measures } = JSON.parse(out) as { measures: readonly Series[] };
  return measures.filter(({ endpoint }) => endpoint === undefined);
}

/** Ascending. */
function valuesByMetric(json: string): ReadonlyMap<string, readonly number[]> {
  const lines = json.split("\n").filter((line) => line.includes('"Point"'));
  const points = lines.map((line) => JSON.parse(line) as Point);
  const groups = Map.groupBy(points, ({ metric }) => metric);
  return new Map(
    groups.entries().map(([metric, own]) => {
      const values = own.map(({ data }) => data.value);
      return [metric, values.toSorted((left, right) => left - right)];
    }),
  );
}

interface Compared {
  readonly what: string;
  readonly got: number | undefined;
  readonly want: number;
  /** @default 0 */
  readonly tolerance?: number;
}

function seriesDifferences(
  all: readonly Series[],
  { metrics, root_group: root }: K6Summary,
  values: ReadonlyMap<string, readonly number[]>,
): string[] {
  const compared = Object.entries(metrics)
    .filter(([metric]) => isMeasured(metric))
    .flatMap(([metric, want]) => {
      const own = all.filter(({ name }) => name === measureName(metric));
      return comparedFigures(metric, own, { want, values: values.get(metric) ?? [] });
    });
  const checks = checksIn(root).flatMap(({ group, check, passes, fails }): Compared[] => {
    const own = all.find(({ tags }) => tags["group"] === group && tags["check"] === check);
    return [
      { what: `${group} ${check} passes`, got: own?.sum, want: passes },
      { what: `${group} ${check} fails`, got: own && own.count - own.sum, want: fails },
    ];
  });
  const durations = values.get("http_req_duration") ?? [];
  const duration = durations.reduce((sum, value) => sum + value, 0);
  const parts = all.filter(({ name }) => ["sending", "waiting", "receiving"].includes(name));
  const phases: Compared = {
    what: "sending + waiting + receiving",
    got: parts.reduce((sum, each) => sum + each.sum, 0),
    want: duration,
    tolerance: 1e-9 * duration,
  };
  return [...compared, ...checks, phases].flatMap(({ what, got, want, tolerance = 0 }) => {
    const isEqual = Math.abs((got ?? Number.NaN) - want) <= tolerance;
    return isEqual ? [] : [`${what}: got ${got}, want ${want}`];
  });
}

function comparedFigures(
  metric: string,
  own: readonly Series[],
  given: { readonly want: Readonly<Record<string, number>>; readonly values: readonly number[] },
): Compared[] {
  const figures = figuresOf(own, given.want);
  return Object.entries(figures).map(([figure, got]) => {
    const want = given.want[figure] ?? Number.NaN;
    const tolerances: Readonly<Record<string, number>> = {
      avg: 1e-9 * Math.abs(want),
      "p(95)": toleranceOf(given.values, want),
    };
    return { what: `${metric} ${figure}`, got, want, tolerance: tolerances[figure] ?? 0 };
  });
}

/**
 * The figures that k6 reports of such a metric. CSV does not declare gauges, so that their last value is unknown there; there are
 * no percentiles over several series.
 */
function figuresOf(
  own: readonly Series[],
  want: Readonly<Record<string, number>>,
): Readonly<Record<string, number | undefined>> {
  const count = own.reduce((sum, each) => sum + each.count, 0);
  const sum = own.reduce((all, each) => all + each.sum, 0);
  if ("passes" in want) return { passes: sum, fails: count - sum, value: sum / count };
  if (!("min" in want)) return { count: sum };
  const min = Math.min(...own.map((each) => each.min ?? Number.NaN));
  const max = Math.max(...own.map((each) => each.max ?? Number.NaN));
  const [first, another] = own;
  if (!("avg" in want))
    return { min, max, ...(first?.last !== undefined && { value: first.last }) };
  return { min, max, avg: sum / count, ...(another === undefined && { "p(95)": first?.p95 }) };
}

/** 1 %, or the distance to the values beside: k6 interpolates. */
function toleranceOf(values: readonly number[], p95: number): number {
  const place = 0.95 * (values.length - 1);
  const beside = [values[Math.floor(place)] ?? p95, values[Math.ceil(place)] ?? p95];
  return Math.max(...beside.map((value) => Math.abs(value - p95))) + 0.01 * Math.abs(p95);
}
