/**
 * How often gates fail a run of an unchanged build, and how often they fail one that is slower, on generated runs that
 * differ as a whole. Prints Markdown tables.
 */

import { type FewRunsShape, tryFewRuns } from "./few-runs.ts";
import { failsPairs, type TrialShape, type TrialVerdicts, tryGates } from "./gate-trials.ts";

const TRIALS = 1000;
const SPREADS = [0, 0.02, 0.05, 0.1, 0.15];

const COLUMNS: Readonly<Record<keyof TrialVerdicts, string>> = {
  tachograph: "`check --against`",
  compare: "`compare`",
  withoutHistory: "`check`, no history",
  compareWithoutHistory: "`compare`, no history",
  fifthAboveBefore: "5 % above the run before",
  fixed: "10 % above the average",
  bencher: "Bencher, t test",
};

async function failuresOf(shape: TrialShape): Promise<readonly number[]> {
  const counts = new Map<string, number>();
  for (let seed = 1; seed <= TRIALS; seed++) {
    const verdicts = await tryGates(shape, seed);
    for (const [gate, fails] of Object.entries(verdicts)) {
      counts.set(gate, (counts.get(gate) ?? 0) + (fails ? 1 : 0));
    }
  }
  return Object.keys(COLUMNS).map((gate) => counts.get(gate) ?? 0);
}

function printRow(cells: readonly (string | number)[]): void {
  console.log(`| ${cells.join(" | ")} |`);
}

export async function printGates(): Promise<void> {
  await printSingle();
  printFewRuns();
  await printPairs();
}

async function printSingle(): Promise<void> {
  const head = ["spread", "r", "growth", ...Object.values(COLUMNS)];
  printRow(head);
  printRow(head.map(() => "---"));
  const unchanged = SPREADS.flatMap((spread) =>
    [0, 0.5].map((correlation) => ({ spread, correlation, growth: 1 })),
  );
  for (const shape of [...unchanged, { spread: 0.05, correlation: 0, growth: 1.3 }]) {
    const { spread, correlation, growth } = shape;
    const cells = [`${100 * spread} %`, correlation, `${Math.round(100 * (growth - 1))} %`];
    printRow([...cells, ...(await failuresOf(shape))]);
  }
}

const FEW_RUNS: readonly FewRunsShape[] = [4, 8].flatMap((earlier) =>
  [4, 13, 40].flatMap((endpoints) => {
    const shape = { earlier, endpoints, spread: 0.05, correlation: 0 };
    return [
      { ...shape, spreads: "equal", together: 0 } as const,
      { ...shape, spreads: "equal", together: 0.5 } as const,
      { ...shape, spreads: "fan", together: 0.5 } as const,
      { ...shape, spreads: "odd", together: 0 } as const,
      { ...shape, spreads: "equal", together: 1 } as const,
    ];
  }),
);

/** Of each way: the trials in which any unchanged endpoint fails, and in which one slower by 30 % and by 71 % is found. */
function printFewRuns(): void {
  const head = ["earlier runs", "endpoints", "spreads", "together", "alone", "pooled"];
  console.log("");
  printRow(head);
  printRow(head.map(() => "---"));
  for (const shape of FEW_RUNS) {
    const counts = { alone: [0, 0, 0], pooled: [0, 0, 0] };
    for (let seed = 1; seed <= TRIALS; seed++) {
      const tried = tryFewRuns(shape, [0.3, 0.71], seed);
      for (const way of ["alone", "pooled"] as const) {
        const { isAny, found } = tried[way];
        counts[way] = [isAny, ...found].map((each, at) => (counts[way][at] ?? 0) + Number(each));
      }
    }
    const { earlier, endpoints, spreads, together } = shape;
    printRow([earlier, endpoints, spreads, together, ...Object.values(counts).map(String)]);
  }
}

async function printPairs(): Promise<void> {
  const head = ["pairs", "spread", "r", "growth", "limit", "`check --pairs`"];
  console.log("");
  printRow(head);
  printRow(head.map(() => "---"));
  const unchanged = SPREADS.flatMap((spread) =>
    [0, 0.5].map((correlation) => ({ spread, correlation, growth: 1, pairs: 8, limit: 0 })),
  );
  const at5 = { spread: 0.05, correlation: 0, limit: 5 };
  const slower = [
    { ...at5, pairs: 8, growth: 1.15 },
    { ...at5, pairs: 12, growth: 1.1 },
  ];
  for (const { limit, ...shape } of [...unchanged, ...slower]) {
    const { pairs, spread, correlation, growth } = shape;
    let failures = 0;
    for (let seed = 1; seed <= TRIALS; seed++) {
      const fails = await failsPairs({ ...shape, limit: `p95 grows > ${limit}%` }, seed);
      failures += fails ? 1 : 0;
    }
    const cells = [pairs, `${100 * spread} %`, correlation, `${Math.round(100 * (growth - 1))} %`];
    printRow([...cells, `${limit} %`, failures]);
  }
}
