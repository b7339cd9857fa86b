import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { figuresOfEndpoint } from "../../samples/figures.ts";
import { artillery } from "../artillery.ts";
import { startReceiver } from "../receiver.ts";
import { runCommand } from "../run-command.ts";
import type { Integration } from "../tool.ts";

const LOAD_TEST_ID = "artillery";
const SECONDS = 15;
const USERS_PER_SECOND = 10;
const REPORT = "report.json";

/** Artillery's `publish-metrics` with OTLP: a span for each request. */
export const artilleryOtel: Integration = {
  name: "artillery-otel",
  version: artillery.version,
  isOnDemand: true,
  tool: artillery,

  async check({ toolFolder, workFolder, target }) {
    const receiver = await startReceiver(path.join(workFolder, "received"));
    const headers = { "X-Service-Auth": receiver.key, "X-Load-Test": LOAD_TEST_ID };
    const script = {
      config: {
        target: target.url,
        phases: [{ duration: SECONDS, arrivalRate: USERS_PER_SECOND }],
        plugins: {
          "publish-metrics": [
            {
              type: "open-telemetry",
              traces: {
                exporter: "otlp-proto",
                endpoint: `${receiver.url}/v1/traces`,
                useRequestNames: true,
                headers,
              },
              metrics: {
                exporter: "otlp-http",
                endpoint: `${receiver.url}/v1/metrics`,
                headers,
              },
            },
          ],
        },
      },
      scenarios: [
        { flow: [{ get: { url: "/" } }, { get: { url: "/products?page=1", name: "list" } }] },
        { flow: [{ post: { url: "/cart" } }, { get: { url: "/missing" } }] },
        { flow: [{ get: { url: "/reset" } }] },
      ],
    };
    writeFileSync(path.join(workFolder, "script.json"), JSON.stringify(script));
    const program = path.join(toolFolder, "node_modules", "artillery", "bin", "run");
    await runCommand(process.execPath, [program, "run", "--output", REPORT, "script.json"], {
      cwd: workFolder,
      log: path.join(workFolder, "console.log"),
      env: { ARTILLERY_DISABLE_TELEMETRY: "true" },
      timeoutMs: (SECONDS + 120) * 1000,
    });
    const stored = await receiver.read(LOAD_TEST_ID);
    await receiver.close();
    const counters = countersOf(path.join(workFolder, REPORT));
    const figures = (stored?.endpoints ?? []).map((endpoint) => ({
      label: endpoint.label,
      ...figuresOfEndpoint(endpoint),
    }));
    const of = (label: string) => figures.find((each) => each.label === label);
    const resets = counters["errors.ECONNRESET"];
    const wanted: readonly (readonly [what: string, got: unknown, want: unknown])[] = [
      ["requests", sum(figures.map(({ count }) => count)), counters["http.requests"]],
      ["GET /reset", of("GET /reset")?.count, resets],
      ["failed GET /reset", of("GET /reset")?.errors, resets],
      ["GET /missing", of("GET /missing")?.errors, counters["http.codes.404"]],
      ["failed POST /cart", of("POST /cart")?.errors, counters["http.codes.500"] ?? 0],
      ["endpoints", figures.length, 5],
    ];
    return {
      differences: wanted.flatMap(([what, got, want]) =>
        got === want ? [] : [`${what}: ${String(got)}, Artillery: ${String(want)}`],
      ),
      figures: `${counters["http.requests"]} requests from spans, ${resets} reset`,
    };
  },
};

function countersOf(file: string): Readonly<Record<string, number>> {
  const report = JSON.parse(readFileSync(file, "utf8")) as {
    readonly aggregate: { readonly counters: Readonly<Record<string, number>> };
  };
  return report.aggregate.counters;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
