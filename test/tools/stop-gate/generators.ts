/** Load tools with closed users, each with the command that its documents recommend for ending it when a limit breaks. */

import { copyFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { artillery } from "../artillery.ts";
import { jmeter } from "../jmeter.ts";
import { planOf } from "../jmeter-plan.ts";
import { k6 } from "../k6.ts";
import { locust } from "../locust.ts";
import type { RunningReceiver } from "../receiver.ts";
import type { LoadTool } from "../tool.ts";

export interface Generator {
  readonly tool: LoadTool;
  /** Prepares the work folder and returns what to start there. */
  command(round: StoppedRound): GeneratorCommand;
  /** The results that it writes; absent: it sends them to the receiver, as load test `LOAD_TEST_ID`. */
  readonly results?: string;
  /** For a shell, with the process as `$load`. @default SIGINT alone */
  readonly stopCommand?: string;
}

export interface StoppedRound {
  readonly toolFolder: string;
  readonly workFolder: string;
  readonly target: { readonly url: string; readonly port: number };
  readonly receiver: Pick<RunningReceiver, "url" | "key">;
}

interface GeneratorCommand {
  readonly program: string;
  readonly words: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

export const LOAD_TEST_ID = "stopped";

const SECONDS = 600;
const SOURCES = import.meta.dirname;

export const GENERATORS: readonly Generator[] = [
  {
    tool: jmeter,
    results: "results.jtl",
    command({ toolFolder, workFolder, target: { port } }) {
      const plan = planOf({ port, seconds: SECONDS, listeners: [], isPlain: true });
      writeFileSync(path.join(workFolder, "plan.jmx"), plan);
      const launcher = path.join(toolFolder, "bin", "ApacheJMeter.jar");
      const settings = ["-Jjmeter.save.saveservice.autoflush=true", "-Jjmeterengine.nongui.port=0"];
      const files = ["-t", "plan.jmx", "-l", "results.jtl", "-j", "jmeter.log"];
      return { program: "java", words: ["-jar", launcher, "-n", ...files, ...settings] };
    },
  },
  {
    tool: k6,
    results: "results.csv",
    command({ toolFolder, workFolder, target: { url } }) {
      copyFileSync(path.join(SOURCES, "k6.js"), path.join(workFolder, "k6.js"));
      return {
        program: path.join(toolFolder, "k6"),
        words: ["run", "--no-usage-report", "--quiet", "--out", "csv=results.csv", "k6.js"],
        environment: { TARGET: url },
      };
    },
  },
  {
    tool: locust,
    results: "requests.csv",
    command({ toolFolder, workFolder, target: { url } }) {
      copyFileSync(path.join(SOURCES, "locustfile.py"), path.join(workFolder, "locustfile.py"));
      const load = ["--headless", "-u", "5", "-r", "5", "-t", `${SECONDS}s`, "-H", url];
      const python = path.join(toolFolder, "venv", "bin", "python");
      return { program: python, words: ["-m", "locust", "-f", "locustfile.py", ...load] };
    },
  },
  {
    tool: artillery,
    // It waits for its users.
    stopCommand: 'sleep 1; kill -9 "$load"',
    command({ toolFolder, workFolder, target: { url }, receiver }) {
      const script = artilleryScript(url, receiver);
      writeFileSync(path.join(workFolder, "script.json"), JSON.stringify(script));
      const program = path.join(toolFolder, "node_modules", "artillery", "bin", "run");
      return {
        program: process.execPath,
        words: [program, "run", "script.json"],
        environment: { ARTILLERY_DISABLE_TELEMETRY: "true" },
      };
    },
  },
];

function artilleryScript(target: string, { url, key }: StoppedRound["receiver"]): unknown {
  const traces = {
    exporter: "otlp-proto",
    endpoint: `${url}/v1/traces`,
    useRequestNames: true,
    // Instead of every 5 s.
    scheduledDelayMillis: 1000,
    headers: { "X-Service-Auth": key, "X-Load-Test": LOAD_TEST_ID },
  };
  return {
    config: {
      target,
      // By default, requests end after 10 s, and with them the users.
      http: { timeout: SECONDS },
      phases: [{ duration: 1, arrivalCount: 5 }],
      plugins: { "publish-metrics": [{ type: "open-telemetry", traces }] },
    },
    scenarios: [{ flow: [{ loop: [{ get: { url: "/" } }, { think: 0.1 }], count: SECONDS * 10 }] }],
  };
}
