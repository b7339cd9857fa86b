import { copyFileSync, readFileSync } from "node:fs";
import path from "node:path";
import { parse } from "csv-parse/sync";
import { figuresOfEndpoint } from "../../samples/figures.ts";
import { locust } from "../locust.ts";
import { startReceiver } from "../receiver.ts";
import { runCommand } from "../run-command.ts";
import type { Integration } from "../tool.ts";
import { readMeasures } from "./read-measures.ts";

const OTEL = "1.44.0";
const INSTRUMENTATION = "0.65b0";
const USERS = 8;
const SECONDS = 15;
const QUIET_SECONDS = 4;

/** Requests that Locust's script judges otherwise than by the answer: its spans do not know. */
const JUDGED = ["GET 404 is fine", "GET wrong body"];

/** Locust's own `--otel`: its spans, and its histogram where there are none. */
export const locustOtel: Integration = {
  name: "locust-otel",
  version: `${locust.version} with OpenTelemetry ${OTEL}`,
  tool: {
    name: "locust-otel",
    version: `${locust.version}-${OTEL}`,
    async install(folder) {
      const log = path.join(folder, "install.log");
      await runCommand("python3", ["-m", "venv", "venv"], { cwd: folder, log });
      const packages = [
        `locust==${locust.version}`,
        `opentelemetry-sdk==${OTEL}`,
        `opentelemetry-exporter-otlp-proto-http==${OTEL}`,
        `opentelemetry-instrumentation-requests==${INSTRUMENTATION}`,
        `opentelemetry-instrumentation-urllib3==${INSTRUMENTATION}`,
      ];
      const python = path.join(folder, "venv", "bin", "python");
      await runCommand(python, ["-m", "pip", "install", "--quiet", ...packages], {
        cwd: folder,
        log,
      });
    },
  },

  async check({ toolFolder, workFolder, target }) {
    const data = path.join(workFolder, "received");
    const receiver = await startReceiver(data);
    const script = path.join(import.meta.dirname, "..", "locust", "locustfile.py");
    copyFileSync(script, path.join(workFolder, "locustfile.py"));
    const load = ["-u", `${USERS}`, "-r", `${USERS}`, "-t", `${SECONDS}s`, "-H", target.url];
    const run = (loadTestId: string, env: Readonly<Record<string, string>>) =>
      runCommand(
        path.join(toolFolder, "venv", "bin", "python"),
        ["-m", "locust", "--otel", "--headless", ...load, `--csv=${loadTestId}`],
        {
          cwd: workFolder,
          log: path.join(workFolder, "console.log"),
          env: {
            SHOP_SECONDS: `${SECONDS - QUIET_SECONDS}`,
            OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
            OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf",
            OTEL_EXPORTER_OTLP_HEADERS: `X-Service-Auth=${receiver.key},X-Load-Test=${loadTestId}`,
            OTEL_METRIC_EXPORT_INTERVAL: "1000",
            OTEL_LOGS_EXPORTER: "none",
            ...env,
          },
          codes: [0, 1],
          timeoutMs: (SECONDS + 60) * 1000,
        },
      );
    await run("spans", {});
    await run("histogram", { OTEL_TRACES_EXPORTER: "none" });
    const [spans, histogram] = [await receiver.read("spans"), await receiver.read("histogram")];
    await receiver.close();
    const stopped = await readMeasures(data, "spans");
    const unfinished = stopped.filter(({ name }) => name === "spans.unfinished");
    const got = (spans?.endpoints ?? []).map((endpoint) => ({
      label: endpoint.label,
      ...figuresOfEndpoint(endpoint),
    }));
    const reported = rowsOf(path.join(workFolder, "spans_stats.csv"));
    const ofHistogram = rowsOf(path.join(workFolder, "histogram_stats.csv"));
    const differences = [
      ...reported.flatMap(({ label, count, failed, averageMs }) => {
        const own = got.find((each) => each.label === label);
        const isSame = own?.count === count && (own.errors === failed || JUDGED.includes(label));
        // A span also covers what Locust does around its own clock: below 5 ms.
        const isClose = Math.abs((own?.avgMs ?? Number.NaN) - averageMs) < 5;
        return isSame && isClose
          ? []
          : [`${label}: ${JSON.stringify(own)}, Locust: ${count}, ${failed} failed, ${averageMs}`];
      }),
      ...(got.length === reported.length ? [] : [`${got.length} endpoints`]),
      ...ofHistogram.flatMap(({ label, name, count, failed, averageMs }) => {
        const endpoint = histogram?.endpoints.find((each) => each.label === name);
        const own = endpoint && figuresOfEndpoint(endpoint);
        const isSame = own?.count === count && own.errors === failed;
        return isSame && Math.abs(own.avgMs - averageMs) < 0.001
          ? []
          : [`histogram, ${label}: ${JSON.stringify(own)}, Locust: ${count}, ${averageMs}`];
      }),
    ];
    const count = sum(got.map((each) => each.count));
    const figures = `${count} requests from spans, ${sum(unfinished.map((each) => each.sum))} unfinished; ${sum(ofHistogram.map((each) => each.count))} from the histogram`;
    return { differences, figures };
  },
};

interface ReportedRow {
  readonly label: string;
  readonly name: string;
  readonly count: number;
  readonly failed: number;
  readonly averageMs: number;
}

/** Locust's own statistics. */
function rowsOf(file: string): readonly ReportedRow[] {
  const rows = parse<Record<string, string>>(readFileSync(file), { columns: true });
  return rows
    .filter(({ Name }) => Name !== "Aggregated")
    .map((row) => ({
      label: `${row["Type"]} ${row["Name"]}`,
      name: row["Name"] ?? "",
      count: Number(row["Request Count"]),
      failed: Number(row["Failure Count"]),
      averageMs: Number(row["Average Response Time"]),
    }));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
