import { hash } from "node:crypto";
import type { BenchContext, Candidate, OpenCandidate, Scenario } from "../frame/scenario.ts";
import { median } from "../frame/statistics.ts";
import { atMost, timesLess } from "../frame/targets.ts";
import { type Copies, copiedStore } from "../reads/copied-load-tests.ts";
import { DENSE, labelsOf, SMALL } from "../reads/dense.ts";
import { startOurServer } from "../reads/our-server.ts";
import { timedRequest } from "../reads/timed-request.ts";
import { TACHOGRAPH } from "./tachograph.ts";

const LONG = { name: "dense", count: 10, shape: DENSE };
const FEW = "10 load tests";
const MANY = "10,000 load tests";
/** Of other endpoints each. */
const QUESTIONS = 60;

export const coldReadOne: Scenario = {
  name: "cold-read-one",
  title: "Cold read: one endpoint, beside few and beside many load tests",
  about: `One of 100 endpoints, 3,600 s, as csv (190 KB); ${QUESTIONS} questions a round, each about another endpoint or load test.
In the server: by its own log, from the headers of the request to the last byte that was written; medians. Of the many load
tests, all but 10 are small.`,
  columns: [
    { key: "server", title: "in the server, ms", better: "less" },
    { key: "whole", title: "until the last byte, ms", better: "less" },
  ],
  targets: [
    atMost({ text: "in the server", candidate: MANY, column: "server", limit: 2, unit: "ms" }),
    timesLess({
      text: "not over 1.2 x as long beside many",
      ours: MANY,
      peer: FEW,
      column: "server",
      unit: "ms",
      times: 1 / 1.2,
    }),
  ],
  candidates: (context) => [
    candidate(FEW, context, [LONG]),
    candidate(MANY, context, [LONG, { name: "small", count: 9990, shape: SMALL }]),
  ],
};

function candidate(name: string, context: BenchContext, copies: readonly Copies[]): Candidate {
  return { name, open: () => open(context, copies) };
}

async function open(
  { dataFolder, scratch }: BenchContext,
  copies: readonly Copies[],
): Promise<OpenCandidate> {
  const store = await copiedStore(dataFolder, copies);
  const server = await startOurServer({ ...store, scratch, program: TACHOGRAPH });
  const hashes = labelsOf(DENSE).map((label) => hash("sha1", label));
  let asked = 0;
  const ask = async (): Promise<number> => {
    const loadTest = `dense-${asked % LONG.count}`;
    // Neighbouring questions are of other blocks.
    const digest = hashes[(asked * 17) % hashes.length] ?? "";
    asked += 1;
    const question = server.metrics({ loadTest, format: "csv", hash: digest });
    return (await timedRequest(question)).wholeMs;
  };
  for (let question = 0; question < QUESTIONS; question++) await ask();
  return {
    async measure() {
      server.elapsedMs();
      const wholeMs: number[] = [];
      for (let question = 0; question < QUESTIONS; question++) wholeMs.push(await ask());
      return { figures: { server: median(server.elapsedMs()), whole: median(wholeMs) } };
    },
    close: () => server.stop(),
  };
}
