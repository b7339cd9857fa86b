/**
 * Whether a limit over a window ends real load tools whose target hangs:
 *
 *     npm run task test:stop [-- [--rounds 5] [--warm-up 15] [--kill] [--require] [jmeter] [k6] [locust] [artillery]]
 *
 * Users of a tool ask a server on loopback, which answers nothing any more after the warm-up. Prints, for each round, how many seconds later
 * the limit broke and the tool had ended. With --kill, the watcher, and the server if the tool sends to one, are killed within `KILLED_WITHIN_MS`
 * and started again. Exits with 1 if a tool was not stopped exactly once, if a round without --kill took more than `WITHIN_SECONDS`, or, with
 * --require, if a tool cannot be installed.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startTachograph } from "../../support/run-tachograph.ts";
import { installTool } from "../install.ts";
import { type RunningReceiver, startReceiver } from "../receiver.ts";
import { startTargetServer, type TargetServer } from "../target-server.ts";
import { type Generator, GENERATORS, LOAD_TEST_ID, type StoppedRound } from "./generators.ts";

const FAIL_IF = "throughput < 1/s over 2s";
const WITHIN_SECONDS = 10;
const KILLED_WITHIN_MS = 12_000;
/** A tool that is not stopped is killed after this time. */
const PATIENCE_MS = 40_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "5" },
    "warm-up": { type: "string", default: "15" },
    kill: { type: "boolean", default: false },
    require: { type: "boolean", default: false },
  },
});
const known = GENERATORS.map(({ tool }) => tool.name);
const unknown = positionals.filter((name) => !known.includes(name));
if (unknown.length > 0) throw new Error(`unknown tools: ${unknown.join()}; known: ${known.join()}`);
const [wanted, warmUpSeconds] = [Number(values.rounds), Number(values["warm-up"])];
if (!(wanted >= 1 && warmUpSeconds > 0)) {
  throw new Error(
    `--rounds ${values.rounds} --warm-up ${values["warm-up"]}: expected numbers above 0`,
  );
}

let [rounds, late, missing] = [0, 0, 0];
for (const generator of GENERATORS) {
  const { tool } = generator;
  if (positionals.length > 0 && !positionals.includes(tool.name)) continue;
  const toolFolder = await installTool(tool).catch((error: unknown) => {
    console.log(`${tool.name}: SKIPPED, it cannot be installed: ${String(error)}`);
  });
  if (toolFolder === undefined) {
    missing += 1;
    continue;
  }
  for (let round = 0; round < wanted; round++) {
    const { brokenSeconds, endedSeconds, stops } = await stopOnce(generator, toolFolder);
    const [broken, ended] = [brokenSeconds, endedSeconds].map((seconds) =>
      seconds === undefined ? "never" : `after ${seconds.toFixed(1)} s`,
    );
    const load = loadavg()[0]?.toFixed(1);
    console.log(`${tool.name}: broken ${broken}, ended ${ended}, stops ${stops}, load ${load}`);
    rounds += 1;
    const isInTime = endedSeconds !== undefined && (values.kill || endedSeconds <= WITHIN_SECONDS);
    if (!isInTime || stops !== 1) late += 1;
  }
}
const when = values.kill ? "" : ` within ${WITHIN_SECONDS} s`;
console.log(`stopped once${when}: ${rounds - late} of ${rounds}`);
process.exit(late > 0 || (values.require && missing > 0) ? 1 : 0);

interface Stopped {
  /** Since the target answers nothing; `undefined`: never. */
  readonly brokenSeconds: number | undefined;
  readonly endedSeconds: number | undefined;
  /** How often the stop command was run. */
  readonly stops: number;
}

async function stopOnce(generator: Generator, toolFolder: string): Promise<Stopped> {
  const workFolder = mkdtempSync(path.join(tmpdir(), `tachograph-stop-${generator.tool.name}-`));
  const target = await startTargetServer();
  const receiver = await startReceiver(path.join(workFolder, "received"));
  const round = { toolFolder, workFolder, target, receiver };
  const load = start(generator, round);
  try {
    await firstRequest(target, load);
    return await stop(generator, round, load);
  } finally {
    load.kill("SIGKILL");
    await receiver.close();
    await target.close();
    rmSync(workFolder, { recursive: true, force: true });
  }
}

interface RunningRound extends StoppedRound {
  readonly target: TargetServer;
  readonly receiver: RunningReceiver;
}

async function stop(
  { results, stopCommand }: Generator,
  { workFolder, target, receiver }: RunningRound,
  load: ChildProcess,
): Promise<Stopped> {
  const exit = once(load, "exit").then(() => performance.now());
  const stopping = [
    "--fail-if",
    FAIL_IF,
    "--stop-pid",
    String(load.pid),
    "--stop-command",
    `echo stopped >> "$stops"; ${stopCommand ?? ""}`,
  ];
  const stops = path.join(workFolder, "stops");
  const file = results === undefined ? undefined : path.join(workFolder, results);
  const words =
    file === undefined
      ? ["check", LOAD_TEST_ID, "--watch"]
      : ["import", "--follow", "--id", LOAD_TEST_ID, file];
  const environment = {
    TACHOGRAPH_URL: receiver.url,
    TACHOGRAPH_KEY: receiver.key,
    load: String(load.pid),
    stops,
  };
  const watch = () => startTachograph([...words, ...stopping], "ended", { environment });
  let watcher = watch();
  try {
    // A watcher that is killed does not say it.
    const broken = watcher.logged("broken:").then(
      () => performance.now(),
      () => undefined,
    );
    // It may break too early, or not at all.
    const early = await Promise.race([broken, delay(warmUpSeconds * 1000)]);
    if (early !== undefined) throw new Error("the limit broke while the target answered");
    target.freeze();
    const frozen = performance.now();
    const giveUp = delay(PATIENCE_MS).then(() => undefined);
    if (values.kill) {
      await delay(Math.random() * KILLED_WITHIN_MS);
      const isKilled = watcher.process.kill("SIGKILL");
      if (results === undefined) await receiver.killAndRestart();
      const { exitCode } = await watcher.outcome;
      // As a supervisor does.
      if (isKilled && exitCode === undefined) watcher = watch();
    }
    const secondsOf = (atMs: number | undefined) =>
      atMs === undefined ? undefined : (atMs - frozen) / 1000;
    const endedSeconds = secondsOf(await Promise.race([exit, giveUp]));
    const brokenSeconds = secondsOf(await Promise.race([broken, giveUp]));
    // One that is started again may yet stop it once more.
    await Promise.race([watcher.outcome, delay(PATIENCE_MS)]);
    return { brokenSeconds, endedSeconds, stops: linesOf(stops) };
  } finally {
    watcher.process.kill("SIGKILL");
    await watcher.outcome;
  }
}

function linesOf(file: string): number {
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").length - 1 : 0;
}

function start(generator: Generator, round: StoppedRound): ChildProcess {
  const { program, words, environment = {} } = generator.command(round);
  const log = openSync(path.join(round.workFolder, "console.log"), "a");
  try {
    return spawn(program, words, {
      cwd: round.workFolder,
      stdio: ["ignore", log, log],
      env: { ...process.env, ...environment },
    });
  } finally {
    closeSync(log);
  }
}

async function firstRequest(target: TargetServer, load: ChildProcess): Promise<void> {
  while (target.requests.size === 0) {
    if (load.exitCode !== null) throw new Error(`the tool ended with ${load.exitCode}`);
    await delay(50);
  }
}
