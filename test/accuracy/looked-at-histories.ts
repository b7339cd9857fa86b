/** Generated histories of runs that someone looks at after every run. */

import { seededRandom } from "../../bench/seeded-random.ts";
import { findChanges } from "../../src/analysis/trend/find-changes.ts";
import type { TrendFigure, TrendValues } from "../../src/api/trend.ts";

export interface HistoryShape {
  readonly loadTests: number;
  /** Standard deviation of the logarithm of response times between runs. */
  readonly spread: number;
  /** Whether all response times of a run are longer or shorter together, not each figure by itself. */
  readonly isShared: boolean;
  /** From the run at this index on, all response times are as many times as long. */
  readonly step?: { readonly at: number; readonly factor: number };
}

/** Without it, a trend has no changes. */
const LOOKS_FROM = 6;
const REQUESTS = 3000;
const FAILING = 0.01;

/** One value of each figure for each run; nothing depends on the run before. */
function whiteNoise(
  { loadTests, spread, isShared, step }: HistoryShape,
  random: () => number,
): TrendValues {
  const normal = (): number =>
    Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const all = <Value>(valueOf: (at: number) => Value): Value[] =>
    Array.from({ length: loadTests }, (_, at) => valueOf(at));
  const shared = all(normal);
  const times = (seconds: number): number[] =>
    all((at) => {
      const deviation = isShared ? (shared[at] ?? 0) : normal();
      const slower = step !== undefined && at >= step.at ? step.factor : 1;
      return seconds * slower * Math.exp(spread * deviation);
    });
  const count = all(() => Math.round(REQUESTS + Math.sqrt(REQUESTS) * normal()));
  const failed = FAILING * REQUESTS;
  return {
    count,
    errRate: count.map(
      (requests) => Math.max(0, Math.round(failed + Math.sqrt(failed) * normal())) / requests,
    ),
    avgLoadTime: times(0.1),
    p50: times(0.08),
    p95: times(0.2),
    p99: times(0.5),
  };
}

function upTo(values: TrendValues, loadTests: number): TrendValues {
  const { count, errRate, avgLoadTime, p50, p95, p99 } = values;
  const cut = (own: readonly (number | null)[]) => own.slice(0, loadTests);
  return {
    count: cut(count),
    errRate: cut(errRate),
    avgLoadTime: cut(avgLoadTime),
    p50: cut(p50),
    p95: cut(p95),
    p99: cut(p99),
  };
}

interface Look {
  readonly loadTests: number;
  /** Of all endpoints together, and of the one endpoint. */
  readonly changes: readonly { readonly figure: TrendFigure; readonly at: number }[];
}

/** All looks at twelve series: six figures of all endpoints and of one of them. */
async function lookAt(shape: HistoryShape, seed: number): Promise<readonly Look[]> {
  const random = seededRandom(seed);
  const [overall, endpoint] = [whiteNoise(shape, random), whiteNoise(shape, random)];
  const looks: Look[] = [];
  for (let loadTests = LOOKS_FROM; loadTests <= shape.loadTests; loadTests++) {
    const found = [
      ...(await findChanges([upTo(overall, loadTests)])),
      ...(await findChanges([upTo(endpoint, loadTests)])),
    ];
    looks.push({ loadTests, changes: found.flat() });
  }
  return looks;
}

/** How many of so many histories without a change have one at any look. */
export async function falselyChanged(
  shape: HistoryShape,
  histories: number,
): Promise<{ readonly histories: number; readonly looks: number }> {
  let [changed, changedLooks] = [0, 0];
  for (let seed = 1; seed <= histories; seed++) {
    const looks = await lookAt(shape, seed);
    const wrong = looks.filter(({ changes }) => changes.length > 0).length;
    changedLooks += wrong;
    if (wrong > 0) changed += 1;
  }
  return { histories: changed, looks: changedLooks };
}

/** With the how many-th run of a new level p95 is first found to have changed, for each history; `Infinity` if never. */
export async function foundWith(
  shape: HistoryShape & Required<Pick<HistoryShape, "step">>,
  histories: number,
): Promise<readonly number[]> {
  const runs: number[] = [];
  for (let seed = 1; seed <= histories; seed++) {
    const first = (await lookAt(shape, seed)).find(({ changes }) =>
      changes.some(({ figure, at }) => figure === "p95" && Math.abs(at - shape.step.at) <= NEAR),
    );
    runs.push(first === undefined ? Infinity : first.loadTests - shape.step.at);
  }
  return runs.toSorted((one, other) => one - other);
}

const NEAR = 5;
