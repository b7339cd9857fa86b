import { copyFileSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { compareKilledRuns } from "./killed-runs.ts";
import { locust } from "./locust.ts";
import type { Integration } from "./tool.ts";

const PLUGIN = path.join(import.meta.dirname, "../../integrations/locust/tachograph_locust.py");
const SCRIPT = path.join(import.meta.dirname, "locust", "locustfile.py");
const USERS = 8;
const LAST_SECONDS = 5;
const KILLED_SECONDS = 600;

/** Our plugin in real Locust, beside Locust's own request log. */
export const locustPlugin: Integration = {
  name: "locust-plugin",
  version: locust.version,
  tool: locust,

  async check({ toolFolder, workFolder, target }) {
    const rounds = path.join(workFolder, "rounds");
    return compareKilledRuns(
      {
        users: USERS,
        start({ number, isLast, url, key, loadTestId }) {
          // Locust overwrites the log of an earlier run.
          const cwd = path.join(rounds, String(number).padStart(2, "0"));
          mkdirSync(cwd, { recursive: true });
          copyFileSync(SCRIPT, path.join(cwd, "locustfile.py"));
          copyFileSync(PLUGIN, path.join(cwd, "tachograph_locust.py"));
          const seconds = isLast ? LAST_SECONDS : KILLED_SECONDS;
          const files = ["-f", "locustfile.py,tachograph_locust.py", "--exit-code-on-error", "0"];
          const load = ["-u", `${USERS}`, "-r", `${USERS}`, "-t", `${seconds}s`, "-H", target.url];
          return {
            command: path.join(toolFolder, "venv", "bin", "python"),
            args: ["-m", "locust", "--headless", ...files, ...load],
            cwd,
            env: {
              SHOP_SECONDS: `${seconds}`,
              TACHOGRAPH_URL: url,
              TACHOGRAPH_KEY: key,
              TACHOGRAPH_ID: loadTestId,
              TACHOGRAPH_SPOOL: path.join(workFolder, "spool"),
            },
          };
        },
        readFile: () => joinLogs(rounds),
        measuresBeyondFile: ["locust.cpu_percent"],
      },
      { workFolder, target },
    );
  },
};

/** All rows below one header. */
function joinLogs(rounds: string): Uint8Array {
  const logs = readdirSync(rounds).map((round) =>
    readFileSync(path.join(rounds, round, "requests.csv"), "utf8"),
  );
  const header = logs[0]?.slice(0, logs[0].indexOf("\n") + 1) ?? "";
  return Buffer.from(header + logs.map((log) => log.slice(header.length)).join(""));
}
