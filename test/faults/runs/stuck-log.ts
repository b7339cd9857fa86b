import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { makeFolder } from "../disk/data-folder.ts";
import { type FaultServer, withServer } from "../disk/fault-server.ts";
import { Ballast, withSmallDisk } from "../disk/small-disk.ts";
import type { Fault, FaultContext, FaultFigures } from "../frame/fault.ts";

const AT_ONCE = 16;
const ENDS_WITHIN_MS = 10_000;
const RECOVERS_WITHIN_MS = 30_000;
/** Space freed on the log's disk: more than all lines need. */
const FREED_BYTES = 10 * 1024 ** 2;

/** A round is a request. */
export const stuckLog: Fault = {
  id: "A3",
  title:
    "Standard error is a full device, a pipe without a reader, a pipe whose reader stalls, a full disk: every request is answered, the lines that are lost are counted and told, and SIGTERM ends the server with exit code 0 within 10 s.",
  rounds: { fast: 8000, nightly: 20_000, release: 40_000 },
  programs: ["mount"],

  async run({ rounds, folder, log }: FaultContext): Promise<FaultFigures> {
    const endMs: number[] = [];
    const data = path.join(folder, "data");
    const key = await makeFolder(data);
    const serve = { folder: data, key };
    const serveInto = (file: string) => ({ ...serve, through: intoFile(file) });

    await withServer(serveInto("/dev/full"), async (server) => {
      await ask(server, rounds);
      endMs.push(await end(server));
    });
    log("full device held");

    await withServer(serve, async (server) => {
      server.running.process.stderr?.destroy();
      await ask(server, rounds);
      endMs.push(await end(server));
    });
    await withServer(serve, async (server) => {
      server.running.process.stderr?.pause();
      await ask(server, rounds);
      endMs.push(await end(server));
    });
    log("closed pipe and stalled pipe held");

    const [stalledLost, fullLost] = [
      await withServer(serve, async (server) => {
        const { stderr } = server.running.process;
        stderr?.pause();
        await ask(server, rounds);
        stderr?.resume();
        const text = await untilTold(() => server.running.logged("log_lines_lost"));
        return requireAllCounted(text, rounds);
      }),
      await withSmallDisk(folder, "tmpfs", async (disk) => {
        const file = path.join(disk, "log");
        return await withServer(serveInto(file), async (server) => {
          const ballast = new Ballast(disk);
          ballast.fill(FREED_BYTES);
          await ask(server, rounds);
          ballast.free();
          const text = await untilTold(async () => readFileSync(file, "utf8"));
          return requireAllCounted(text, rounds);
        });
      }),
    ];
    return {
      "requests answered": 5 * rounds,
      "lines lost to the stalled reader": stalledLost,
      "lines lost to the full disk": fullLost,
      "lines lost without a word": 0,
      "longest ms until it ended": Math.round(Math.max(...endMs)),
    };
  },
};

/** A shell that starts the program with its standard error redirected to a file. */
function intoFile(file: string): readonly string[] {
  return ["sh", "-c", `exec "$0" "$@" 2>>'${file}'`];
}

/** Requests without a key. Each is rejected and logs at least a line. */
async function ask({ address }: FaultServer, requests: number): Promise<void> {
  let left = requests;
  const asking = Array.from({ length: AT_ONCE }, async () => {
    while (left-- > 0) {
      const signal = AbortSignal.timeout(RECOVERS_WITHIN_MS);
      const answer = await fetch(`${address}/Api/LoadTests`, { signal });
      assert.equal(answer.status, 401);
      await answer.arrayBuffer();
    }
  });
  await Promise.all(asking);
}

/** Returns how long it took to stop. */
async function end(server: FaultServer): Promise<number> {
  const beganAtMs = performance.now();
  const { process } = server.running;
  const ended = new Promise<number | null>((resolve) => process.once("exit", resolve));
  process.kill("SIGTERM");
  const late = delay(ENDS_WITHIN_MS, "late", { ref: false });
  assert.equal(await Promise.race([ended, late]), 0, "the exit code after SIGTERM");
  return performance.now() - beganAtMs;
}

async function untilTold(read: () => Promise<string>): Promise<string> {
  const untilMs = performance.now() + RECOVERS_WITHIN_MS;
  for (;;) {
    const text = await read();
    if (text.includes("log_lines_lost") && text.endsWith("\n")) return text;
    assert.ok(performance.now() < untilMs, "the lost lines were never told");
    await delay(100);
  }
}

/**
 * Requires that each line is complete in the log or counted as lost. Returns how many were lost.
 */
function requireAllCounted(text: string, requests: number): number {
  const lines = text.trimEnd().split("\n");
  const events = lines.map((line) => JSON.parse(line) as { msg: string; lines?: number });
  const lost = events.reduce((sum, { msg, lines: count = 0 }) => {
    return msg === "log_lines_lost" ? sum + count : sum;
  }, 0);
  const told = events.filter(({ msg }) => msg === "request" || msg === "auth_failed").length;
  // Each rejection logs two lines: the reason and the request.
  assert.equal(told + lost, 2 * requests);
  return lost;
}
