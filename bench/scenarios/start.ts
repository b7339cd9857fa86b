import { get } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { freePort, runChild, startServer } from "../frame/child.ts";
import type { BenchContext, Candidate, Scenario } from "../frame/scenario.ts";
import { atMost } from "../frame/targets.ts";
import { copiedStore } from "../reads/copied-load-tests.ts";
import { SMALL } from "../reads/dense.ts";
import { type Program, programs, TACHOGRAPH } from "./tachograph.ts";

const LOAD_TESTS = 10_000;

export const start: Scenario = {
  name: "start",
  title: "Start",
  about: `From the start of the process until \`/health/ready\` answers 200, with ${LOAD_TESTS.toLocaleString("en")} load tests stored; and
until \`--help\` has ended. Node's own start is part of both. Compiled code is in Node's cache from earlier starts.`,
  columns: [
    { key: "ready", title: "ready after, s", better: "less" },
    { key: "help", title: "--help, s", better: "less" },
    { key: "bare", title: "an empty script, s", better: "less" },
  ],
  targets: [
    atMost({
      text: "ready with 10,000 load tests",
      isHeadline: true,
      candidate: TACHOGRAPH.name,
      column: "ready",
      limit: 0.3,
      unit: "s",
    }),
    atMost({ text: "--help", candidate: TACHOGRAPH.name, column: "help", limit: 0.08, unit: "s" }),
  ],
  candidates: (context) => programs(context).map((program) => candidate(program, context)),
};

function candidate(program: Program, { dataFolder, isQuick }: BenchContext): Candidate {
  const { name, file } = program;
  return {
    name,
    async open() {
      const count = isQuick ? 100 : LOAD_TESTS;
      const { directory } = await copiedStore(dataFolder, [{ name: "small", count, shape: SMALL }]);
      const measure = async () => ({
        figures: {
          ready: await secondsUntilReady(file, directory),
          help: (await runChild({ program: process.execPath, words: [file, "--help"] })).seconds,
          bare: (await runChild({ program: process.execPath, words: ["--eval", ""] })).seconds,
        },
      });
      await measure();
      return { measure };
    },
  };
}

async function secondsUntilReady(file: string, directory: string): Promise<number> {
  const port = await freePort();
  const words = [file, "serve", "--port", String(port), "--data", directory];
  const startedAtMs = performance.now();
  const deadlineMs = startedAtMs + 20_000;
  let seconds = 0;
  const { stop } = await startServer({ program: process.execPath, words }, async () => {
    // Asked more often than the frame does: it is the measured time.
    while (!(await isReady(port))) {
      if (performance.now() > deadlineMs) return false;
      await delay(1);
    }
    seconds = (performance.now() - startedAtMs) / 1000;
    return true;
  });
  await stop();
  return seconds;
}

function isReady(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const asking = get(`http://127.0.0.1:${port}/health/ready`, { agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    asking.on("error", () => resolve(false));
  });
}
