/** Whether `check` finds the growth that `power` calls detectable. */

import { seededRandom } from "../../bench/seeded-random.ts";
import { prepareCheck } from "../../src/analysis/check/check-load-test.ts";
import type { Limit } from "../../src/analysis/check/limit.ts";
import { parseLimit } from "../../src/analysis/check/parse-limit.ts";
import { readPower } from "../../src/analysis/check/power.ts";
import { openStoreReader } from "../../src/analysis/load-test-reader.ts";
import { ALL_ENDPOINTS } from "../../src/series/endpoint-selection.ts";
import { loadTest } from "../support/load-tests.ts";
import { openMemoryStore } from "../support/memory-store/memory-store.ts";
import { densePoints } from "./dense-run.ts";

export interface PowerShape {
  /** Standard deviation of a run's logarithm. */
  readonly spread: number;
  readonly seconds: number;
  readonly requestsPerSecond: number;
}

export const POWER_FIGURES = { avgLoadTime: "avg", p95: "p95" } as const;

type PowerFigure = keyof typeof POWER_FIGURES;

/** What a trial says of each figure. */
export type PowerTrial = Readonly<
  Record<PowerFigure, { readonly detectable: number; readonly isFound: boolean } | undefined>
>;

const EARLIER = 8;
const START = 1_700_000_000;
const DAY_SECONDS = 86_400;
const PART = {
  range: undefined,
  selection: ALL_ENDPOINTS,
  skipStartSeconds: 0,
  skipEndSeconds: 0,
};

/** Eight runs, what `power` says after them, and a ninth with just that growth, checked against the eighth. */
export async function tryPower(shape: PowerShape, seed: number): Promise<PowerTrial> {
  const random = seededRandom(seed);
  const normal = (): number =>
    Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const levels = Array.from({ length: EARLIER + 1 }, () => Math.exp(shape.spread * normal()));
  const store = openMemoryStore();
  const add = async (loadTestId: string, night: number, growth: number): Promise<void> => {
    const points = densePoints({
      ...shape,
      from: START + night * DAY_SECONDS,
      factor: (levels[night] ?? 1) * growth,
      failing: 0.01,
      seed: 100 * seed + night,
    });
    const name = night < EARLIER ? "nightly" : "next";
    await store.loadTests.create({ ...loadTest(loadTestId), name });
    const source = { sourceId: "sender", visibility: "live", sequence: 0 } as const;
    await store.points.append({ loadTestId, ...source, labels: ["GET /"], points });
  };
  for (let night = 0; night < EARLIER; night++) await add(`night-${night}`, night, 1);
  const reader = openStoreReader(store);
  const { figures } = await readPower(reader, { ...PART, name: "nightly", change: 0.1 });
  const tryFigure = async (figure: PowerFigure) => {
    const detectable = figures.find((each) => each.figure === figure)?.detectable;
    if (detectable === undefined) return undefined;
    const loadTestId = `next-${figure}`;
    await add(loadTestId, EARLIER, 1 + detectable);
    const limit = parseLimit(`${POWER_FIGURES[figure]} grows > 0%`) as Limit;
    const base = { ...PART, loadTestId: `night-${EARLIER - 1}` };
    const later = { ...PART, loadTestId };
    const check = await prepareCheck(reader, {
      base,
      later,
      history: undefined,
      limits: [limit],
      growths: 1,
    });
    return { detectable, isFound: check(limit).outcome === "broken" };
  };
  return { avgLoadTime: await tryFigure("avgLoadTime"), p95: await tryFigure("p95") };
}
