/**
 * Real ClickHouse servers on loopback, to try things out by hand:
 *
 *     node test/clickhouse/lab.ts start [--shards 2] [--replicas 2]    one server unless more are asked for
 *     node test/clickhouse/lab.ts status
 *     node test/clickhouse/lab.ts sql s1r1 "SELECT version()"
 *     node test/clickhouse/lab.ts kill s1r1                            with -9; zookeeper too
 *     node test/clickhouse/lab.ts start-node s1r1
 *     node test/clickhouse/lab.ts stop                                 all of it, its data too
 *
 * They run until they are stopped. `--folder` says where, for a second lab beside the first.
 */

import { tmpdir, userInfo } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { Lab } from "./lab/lab.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    shards: { type: "string", default: "1" },
    replicas: { type: "string", default: "1" },
    folder: { type: "string" },
  },
});
const [command = "", ...words] = positionals;
const folder = path.resolve(
  values.folder ?? path.join(tmpdir(), `tachograph-lab-of-${userInfo().username}`),
);

type Command = (lab: Lab, ...words: readonly string[]) => Promise<void>;

const COMMANDS: Readonly<Record<string, Command>> = {
  status: async (lab) => console.table(lab.programs.map(describe)),
  sql: async (lab, name = "", statement = "") => {
    process.stdout.write(await lab.server(name).sql(statement));
  },
  kill: (lab, name = "") => lab.kill(name),
  "start-node": async (lab, name = "") => {
    const { isRestored } = await lab.startAgain(name);
    console.log(isRestored ? `${name} answers; it had to restore its parts` : `${name} answers`);
  },
  stop: (lab) => lab.stop(),
};

try {
  await run();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function run(): Promise<void> {
  const known = ["start", ...Object.keys(COMMANDS)];
  if (!known.includes(command)) throw new Error(`say what to do: ${known.join(", ")}`);
  const running = Lab.at(folder, "detached");
  if (command === "start") return start(running);
  if (running === undefined) throw new Error(`no lab in ${folder}; "start" makes one`);
  await COMMANDS[command]?.(running, ...words);
}

async function start(running: Lab | undefined): Promise<void> {
  if (running !== undefined) throw new Error(`there is a lab in ${folder} already; "stop" ends it`);
  const startedAtMs = performance.now();
  const layout = { shards: Number(values.shards), replicas: Number(values.replicas) };
  const lab = await Lab.start(layout, { folder, lifetime: "detached" });
  console.log(`started in ${Math.round(performance.now() - startedAtMs)} ms, in ${folder}`);
  for (const { name, url } of lab.servers) console.log(`${name} ${url}`);
}

function describe(program: Lab["programs"][number]): Record<string, string | number> {
  const { name, processId, residentBytes } = program;
  return {
    name,
    state: processId === undefined ? "down" : "running",
    "process id": processId ?? "",
    "resident MB": Math.round(residentBytes / 1e6),
  };
}
