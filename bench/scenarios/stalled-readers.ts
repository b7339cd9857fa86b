import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { get, type IncomingMessage } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { peakResidentBytes } from "../frame/child.ts";
import type { Measured, Scenario } from "../frame/scenario.ts";
import { atMost } from "../frame/targets.ts";
import { copiedStore } from "../reads/copied-load-tests.ts";
import { DENSE } from "../reads/dense.ts";
import { type OurServer, startOurServer } from "../reads/our-server.ts";
import { type Question, timedRequest } from "../reads/timed-request.ts";
import { programs, TACHOGRAPH } from "./tachograph.ts";

const READERS = 100;
const STALL_MS = 6000;
const LOOK_EVERY_MS = 50;
const MEGABYTE = 1e6;

export const stalledReaders: Scenario = {
  name: "stalled-readers",
  title: "Memory: readers that stop reading",
  about: `${READERS} clients ask for the same 43 MB (100 endpoints x 3,600 s, default format), take the begin and then nothing for
${STALL_MS / 1000} s; then all go on to the end at once. Resident memory of the server beyond what it had after some answers; the bytes of
all answers are compared. "before", where it is measured, reads the same store after it.`,
  columns: [
    { key: "stalled", title: "while all stall, + MB", better: "less" },
    { key: "whole", title: "at most until all have all, + MB", better: "less" },
    { key: "seconds", title: "all have all after, s", better: "less" },
  ],
  targets: [
    atMost({
      text: "100 stalled readers of 43 MB, more memory",
      isHeadline: true,
      candidate: TACHOGRAPH.name,
      column: "stalled",
      limit: 64,
      unit: "MB",
    }),
  ],
  candidates: (context) =>
    programs(context).map((program) => ({
      name: program.name,
      roundsMax: 2,
      async open() {
        const { scratch, dataFolder } = context;
        const copies = { name: "dense", count: 20, shape: DENSE };
        const store = await copiedStore(dataFolder, [copies]);
        // A server of its own for each round: memory that was once taken does not all go back.
        return {
          async measure() {
            const server = await startOurServer({ ...store, scratch, program });
            try {
              return await measureRound(server);
            } finally {
              await server.stop();
            }
          },
        };
      },
    })),
};

async function measureRound(server: OurServer): Promise<Measured> {
  const ask = (loadTest: string): Question => server.metrics({ loadTest, format: "default" });
  for (let other = 1; other <= 10; other++) await timedRequest(ask(`dense-${other}`));
  const before = residentBytes(server.processId);
  const answers = await Promise.all(Array.from({ length: READERS }, () => beginOf(ask("dense-0"))));
  let stalled = 0;
  for (const until = performance.now() + STALL_MS; performance.now() < until;) {
    stalled = Math.max(stalled, residentBytes(server.processId) - before);
    await delay(LOOK_EVERY_MS);
  }
  const wentOnAtMs = performance.now();
  const digests = new Set(await Promise.all(answers.map((answer) => digestOf(answer))));
  const seconds = (performance.now() - wentOnAtMs) / 1000;
  const whole = peakResidentBytes(server.processId) - before;
  const figures = { stalled: stalled / MEGABYTE, whole: whole / MEGABYTE, seconds };
  return { figures, results: { answers: [...digests].join(" and ") } };
}

/** An answer that is there, of which nothing more is read. */
function beginOf({ port, path, headers }: Question): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const options = { port, path, headers: { ...headers }, host: "127.0.0.1", agent: false };
    get(options, resolve).on("error", reject);
  });
}

async function digestOf(answer: IncomingMessage): Promise<string> {
  const digest = createHash("sha1");
  let bytes = 0;
  for await (const piece of answer as AsyncIterable<Buffer>) {
    digest.update(piece);
    bytes += piece.length;
  }
  return `${answer.statusCode}, ${bytes} bytes, ${digest.digest("hex")}`;
}

function residentBytes(processId: number): number {
  const status = readFileSync(`/proc/${processId}/status`, "utf8");
  return 1024 * Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]);
}
