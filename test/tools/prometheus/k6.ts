import { readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Operations } from "../../../src/client/generated/operations.ts";
import { runTachograph } from "../../support/run-tachograph.ts";
import { k6 } from "../k6.ts";
import { KilledServer } from "../killed-runs.ts";
import { runCommand } from "../run-command.ts";
import { readMeasures } from "../telemetry/read-measures.ts";
import type { Integration, ToolRun } from "../tool.ts";
import { differencesOf, startPrometheus, valuesOf } from "./run-prometheus.ts";

const CHAINED = "chained";
const DIRECT = "direct";
const NAMES = ["home", "products", "cart", "old", "missing", "reset", "timeout", "query", "again"];
const SECONDS = 15;
const KILLS = 3;
const PATTERN = "k6_.*";

/** k6 with native histograms, through Debian's Prometheus while the server is killed, and without. */
export const k6Prometheus: Integration = {
  name: "k6-prometheus",
  version: k6.version,
  isOnDemand: true,
  tool: k6,

  async check(run) {
    const { workFolder } = run;
    const data = path.join(workFolder, "data");
    await using server = await KilledServer.start(data);
    const { url, key } = server;
    const prometheus = await startPrometheus(path.join(workFolder, "prometheus"), {
      url,
      key,
      loadTestId: CHAINED,
      pattern: PATTERN,
    });
    try {
      const chained = runK6(run, CHAINED, { url: prometheus.url });
      for (let kill = 0; kill < KILLS; kill++) {
        await delay((1000 * SECONDS) / (KILLS + 1));
        await server.killAndRestart();
      }
      await chained;
      await delay(3000);
      const sent = await prometheus.raw(`{__name__=~"${PATTERN}"}`);
      await prometheus.close();
      await runK6(run, DIRECT, { url, headers: `X-Service-Auth:${key},X-Load-Test:${DIRECT}` });
      await server.stop();
      const gauges = (await readMeasures(data, CHAINED)).filter(({ kind }) => kind === "gauge");
      const differences = [...differencesOf(valuesOf(gauges), sent)];
      for (const id of [CHAINED, DIRECT]) {
        differences.push(...(await requestDifferences(id, run, data)));
      }
      return {
        differences,
        figures: `${sent.size} values through Prometheus across ${KILLS} kills of the server`,
      };
    } finally {
      await prometheus.close();
    }
  },
};

interface Sending {
  readonly url: string;
  readonly headers?: string;
}

async function runK6(
  { toolFolder, workFolder, target }: Pick<ToolRun, "toolFolder" | "workFolder" | "target">,
  id: string,
  { url, headers }: Sending,
): Promise<void> {
  const script = path.join(import.meta.dirname, "..", "k6", "shop.js");
  const summary = ["--no-usage-report", "--quiet", "--summary-export", `${id}.json`];
  const output = ["--out", "experimental-prometheus-rw"];
  await runCommand(path.join(toolFolder, "k6"), ["run", ...summary, ...output, script], {
    cwd: workFolder,
    log: path.join(workFolder, `${id}.log`),
    env: {
      TARGET: target.url,
      NAMES: JSON.stringify(NAMES),
      USERS: "4",
      DURATION: `${SECONDS}s`,
      K6_PROMETHEUS_RW_SERVER_URL: `${url}/api/v1/write`,
      K6_PROMETHEUS_RW_PUSH_INTERVAL: "2s",
      K6_PROMETHEUS_RW_TREND_AS_NATIVE_HISTOGRAM: "true",
      ...(headers && { K6_PROMETHEUS_RW_HTTP_HEADERS: headers }),
    },
    timeoutMs: (SECONDS + 60) * 1000,
  });
}

interface Summary {
  readonly metrics: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

/** Requests and failures must equal those of k6's summary, and averages to a microsecond. */
async function requestDifferences(
  id: string,
  { workFolder }: Pick<ToolRun, "workFolder">,
  data: string,
): Promise<readonly string[]> {
  const file = readFileSync(path.join(workFolder, `${id}.json`), "utf8");
  const { metrics } = JSON.parse(file) as Summary;
  const { out } = await runTachograph(["summary", id, "--json", "--data", data]);
  const { endpoints } = JSON.parse(out) as Operations["getSummary"]["answer"];
  return NAMES.flatMap((name, ep) => {
    const of = (metric: string) => metrics[`${metric}{ep:${ep}}`] ?? {};
    const own = endpoints.find(({ label }) => label === name);
    const want = JSON.stringify([of("http_reqs")["count"], of("http_req_failed")["passes"]]);
    const got = JSON.stringify([own?.count, own?.errCount]);
    const apart = Math.abs(
      1000 * (own?.avgLoadTime ?? Number.NaN) - (of("http_req_duration")["avg"] ?? 0),
    );
    return [
      ...(got === want ? [] : [`${id} ${name}: ${got}, k6: ${want}`]),
      ...(apart <= 0.001 ? [] : [`${id} ${name}: average is ${apart} ms from k6's`]),
    ];
  });
}
