import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { startReceiver } from "../receiver.ts";
import { runCommand } from "../run-command.ts";
import type { Integration } from "../tool.ts";
import { readMeasures } from "./read-measures.ts";

const VERSION = "0.160.0";
const LOAD_TEST_ID = "collector";
const SECONDS = 15;
const CONTRIB = "github.com/open-telemetry/opentelemetry-collector-contrib";
const CORE = "go.opentelemetry.io/collector";

/** An OpenTelemetry Collector with host metrics; the reference is the file that it writes beside it. */
export const collector: Integration = {
  name: "collector",
  version: VERSION,
  isOnDemand: true,
  tool: {
    name: "collector",
    version: VERSION,
    async install(folder) {
      const source = path.join(import.meta.dirname, "collector", "main.go");
      copyFileSync(source, path.join(folder, "main.go"));
      const modules = [
        `${CONTRIB}/exporter/fileexporter@v${VERSION}`,
        `${CONTRIB}/receiver/hostmetricsreceiver@v${VERSION}`,
        `${CORE}/otelcol@v${VERSION}`,
        `${CORE}/service@v${VERSION}`,
        `${CORE}/exporter/otlphttpexporter@v${VERSION}`,
        `${CORE}/confmap/provider/fileprovider@latest`,
      ];
      const options = { cwd: folder, log: path.join(folder, "install.log") };
      await runCommand("go", ["mod", "init", "collector"], options);
      await runCommand("go", ["get", ...modules], options);
      await runCommand("go", ["build", "-o", "collector", "."], options);
    },
  },

  async check({ toolFolder, workFolder }) {
    const data = path.join(workFolder, "received");
    const receiver = await startReceiver(data);
    writeFileSync(path.join(workFolder, "config.yaml"), configuration(receiver));
    const program = path.join(toolFolder, "collector");
    await runCommand("sh", ["-c", `timeout ${SECONDS} ${program} --config file:config.yaml`], {
      cwd: workFolder,
      log: path.join(workFolder, "console.log"),
      codes: [0, 124],
    });
    await receiver.close();
    const stored = await readMeasures(data, LOAD_TEST_ID);
    const got = sumsOf(
      stored.map(({ name, tags, sum }) => {
        const { "host.name": _, ...own } = tags;
        return [keyOf(name, Object.entries(own)), sum];
      }),
    );
    const want = expectedSums(path.join(workFolder, "metrics.json"));
    const differing = [...want].filter(([key, sum]) => !isClose(got.get(key) ?? Number.NaN, sum));
    return {
      differences: [
        ...differing.map(([key, sum]) => `${key}: ${got.get(key)}, the Collector: ${sum}`),
        ...(got.size === want.size ? [] : [`${got.size} series, the Collector sent ${want.size}`]),
        ...(want.size > 10 ? [] : [`only ${want.size} series were sent`]),
      ],
      figures: `${want.size} series of ${new Set(stored.map(({ name }) => name)).size} measures`,
    };
  },
};

const byText = (left: string, right: string): number => (left < right ? -1 : 1);

/** Differences of doubles, rounded to a billionth each. */
function isClose(left: number, right: number): boolean {
  return Math.abs(left - right) <= 1e-7 + 1e-9 * Math.abs(right);
}

function configuration({ url, key }: { readonly url: string; readonly key: string }): string {
  return `receivers:
  hostmetrics:
    collection_interval: 1s
    scrapers:
      cpu:
        metrics:
          system.cpu.utilization:
            enabled: true
      memory:
      network:
exporters:
  otlphttp:
    endpoint: ${url}
    headers:
      X-Service-Auth: ${key}
      X-Load-Test: ${LOAD_TEST_ID}
  file:
    path: metrics.json
service:
  telemetry:
    metrics:
      level: none
  pipelines:
    metrics:
      receivers: [hostmetrics]
      exporters: [otlphttp, file]
`;
}

interface Point {
  readonly attributes?: readonly { readonly key: string; readonly value: object }[];
  readonly asDouble?: number;
  readonly asInt?: string;
}

interface Metric {
  readonly name: string;
  readonly gauge?: { readonly dataPoints: readonly Point[] };
  readonly sum?: {
    readonly dataPoints: readonly Point[];
    readonly isMonotonic?: boolean;
  };
}

interface Line {
  readonly resourceMetrics: readonly {
    readonly scopeMetrics: readonly { readonly metrics: readonly Metric[] }[];
  }[];
}

/**
 * Of each series what its values must add up to: the last total less the first, or the sum of all states. A series with a
 * single total has no increase.
 */
function expectedSums(file: string): ReadonlyMap<string, number> {
  const totals = new Map<string, { readonly first: number; last: number; points: number }>();
  const states: [string, number][] = [];
  const lines = readFileSync(file, "utf8").trim().split("\n");
  const metrics = lines.flatMap((line) =>
    (JSON.parse(line) as Line).resourceMetrics.flatMap((each) =>
      each.scopeMetrics.flatMap((scope) => scope.metrics),
    ),
  );
  for (const { name, gauge, sum } of metrics) {
    for (const { attributes = [], asDouble, asInt } of (gauge ?? sum)?.dataPoints ?? []) {
      const tags = attributes.map(
        ({ key, value }) => [key, String(Object.values(value)[0])] as const,
      );
      const [key, value] = [keyOf(name, tags), asDouble ?? Number(asInt)];
      if (sum?.isMonotonic !== true) states.push([key, value]);
      else {
        const known = totals.get(key) ?? { first: value, last: value, points: 0 };
        totals.set(key, { ...known, last: value, points: known.points + 1 });
      }
    }
  }
  const increases = [...totals].filter(([, { points }]) => points > 1);
  return sumsOf([
    ...states,
    ...increases.map(([key, { first, last }]) => [key, last - first] as const),
  ]);
}

function sumsOf(values: readonly (readonly [string, number])[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const [key, value] of values) sums.set(key, (sums.get(key) ?? 0) + value);
  return sums;
}

function keyOf(name: string, tags: readonly (readonly [string, string])[]): string {
  const texts = tags.map(([tag, value]) => `${tag}=${value}`).toSorted(byText);
  return `${name} ${texts.join()}`;
}
