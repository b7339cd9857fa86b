import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { jmeter } from "./jmeter.ts";
import { PLAN_USERS, planOf } from "./jmeter-plan.ts";
import { compareKilledRuns, type Round } from "./killed-runs.ts";
import { runCommand } from "./run-command.ts";
import type { Integration } from "./tool.ts";

const SOURCE = path.join(import.meta.dirname, "../../integrations/jmeter");
const LAST_SECONDS = 5;
const KILLED_SECONDS = 600;

/** Our Backend Listener in real JMeter, beside the file that JMeter writes. */
export const jmeterListener: Integration = {
  name: "jmeter-listener",
  version: jmeter.version,
  tool: jmeter,

  async check({ toolFolder, workFolder, target }) {
    const jar = await buildListener(workFolder);
    const launcher = path.join(toolFolder, "bin", "ApacheJMeter.jar");
    const properties = {
      "jmeterengine.nongui.port": "0",
      "jmeter.save.saveservice.autoflush": "true",
      "user.classpath": jar,
    };
    const settings = Object.entries(properties).map(([name, value]) => `-J${name}=${value}`);
    return compareKilledRuns(
      {
        users: PLAN_USERS,
        measuresBeyondFile: ["jmeter.cpu_percent"],
        start(round) {
          const plan = path.join(workFolder, `plan-${round.number}.jmx`);
          const seconds = round.isLast ? LAST_SECONDS : KILLED_SECONDS;
          const listeners = [{ className: CLASS, parameters: parametersOf(round) }];
          writeFileSync(plan, planOf({ port: target.port, seconds, listeners }));
          const files = ["-t", plan, "-l", "samples.jtl", "-j", "jmeter.log"];
          return {
            command: "java",
            args: ["-jar", launcher, "-n", ...files, ...settings],
            cwd: workFolder,
          };
        },
        readFile: () => readFileSync(path.join(workFolder, "samples.jtl")),
      },
      { workFolder, target },
    );
  },
};

const CLASS = "tachograph.jmeter.TachographListener";

function parametersOf({ url, key, loadTestId }: Round): Record<string, string> {
  return { url, key, id: loadTestId, spool: "spool" };
}

async function buildListener(workFolder: string): Promise<string> {
  const folder = path.join(workFolder, "listener");
  mkdirSync(folder);
  for (const name of ["pom.xml", "src"]) {
    cpSync(path.join(SOURCE, name), path.join(folder, name), { recursive: true });
  }
  const log = path.join(workFolder, "build.log");
  await runCommand("mvn", ["-q", "-B", "package"], { cwd: folder, log });
  return path.join(folder, "target", "tachograph-jmeter.jar");
}
