import type { BenchContext, Candidate, OpenCandidate, Scenario } from "../frame/scenario.ts";
import { atMost, timesLess } from "../frame/targets.ts";
import { openContestant } from "../reads/contestant.ts";
import { copiedStore, secondStore } from "../reads/copied-load-tests.ts";
import { DENSE } from "../reads/dense.ts";
import { ourContestant, rowsContestant } from "../reads/local-contestants.ts";
import { type Program, programs, TACHOGRAPH } from "./tachograph.ts";

const OURS = TACHOGRAPH.name;
const ROWS = "SQLite rows, JSON.stringify";

export const coldRead: Scenario = {
  name: "cold-read",
  title: "Cold read: all of a load test that nobody asked for before",
  about: `100 endpoints x 3,600 s, 14 requests a point, of 1,000 load tests stored (peers hold 12, which
is kind to them), over HTTP from a process that has answered others before; every question is about another load
test. Milliseconds until the last byte.`,
  columns: [
    { key: "csv", title: "csv, ms", better: "less" },
    { key: "xy", title: "xy, ms", better: "less" },
    { key: "default", title: "default, ms", better: "less" },
    { key: "firstByte", title: "first byte at most, ms", better: "less" },
    { key: "delay", title: "event loop away, p99, ms", better: "less" },
  ],
  targets: [
    timesLess({ text: "default", ours: OURS, peer: ROWS, column: "default", times: 20 }),
    timesLess({ text: "csv", ours: OURS, peer: ROWS, column: "csv", times: 12 }),
    timesLess({ text: "xy", ours: OURS, peer: ROWS, column: "xy", times: 12 }),
    atMost({ text: "first byte", candidate: OURS, column: "firstByte", limit: 5, unit: "ms" }),
    atMost({ text: "event loop", candidate: OURS, column: "delay", limit: 20, unit: "ms" }),
  ],
  candidates: (context) => candidates(context),
};

function candidates(context: BenchContext): readonly Candidate[] {
  const { scratch, dataFolder, isQuick } = context;
  const loadTests = isQuick ? 20 : 1000;
  const openProgram = async (program: Program): Promise<OpenCandidate> => {
    const copies = { name: "dense", count: loadTests, shape: DENSE };
    const made = await copiedStore(dataFolder, [copies]);
    const store = program === TACHOGRAPH ? made : secondStore(made, scratch);
    return openContestant(await ourContestant({ ...store, loadTests }, { scratch, program }));
  };
  return [
    ...programs(context).map((program) => ({
      name: program.name,
      open: () => openProgram(program),
    })),
    { name: ROWS, open: async () => openContestant(await rowsContestant(context)) },
  ];
}
