import type { ListedFigures } from "../api/load-tests.ts";
import { unless, unlessUserError } from "../model/errors.ts";
import type { LoadTestQuery, LoadTestSummary } from "../model/load-test.ts";
import { isComputed } from "../model/load-test/search.ts";
import { summarise } from "../query/open-summary.ts";
import { ALL_ENDPOINTS } from "../series/endpoint-selection.ts";
import { OVERALL_FIGURES, type Store } from "../store/store.ts";

type Stored = Pick<Store, "loadTests" | "points">;

/** For one search. */
const COMPUTING_MS_MAX = 1000;

/** Summaries of larger ones take seconds: only the background job computes them. */
const ENDPOINTS_MAX = 1000;

/** Load tests that are counted as unknown; there may be more. */
const UNKNOWN_MAX = 1000;

/** Computed ones that were not stored, before a search takes the store to be read-only, or its newest load tests to grow. */
const NOT_STORED_MAX = 3;

/**
 * Computes figures that a search needs and that are not stored, as far as time allows. Returns of how many load tests, which all else
 * matches, they stay unknown: also those that cannot be read or stored.
 */
export async function knowFigures(store: Stored, query: LoadTestQuery): Promise<number> {
  const { terms = [] } = query;
  const others = terms.filter((term) => term.kind !== "figure" || !isComputed(term.figure));
  if (others.length === terms.length) return 0;
  const { loadTests, points } = store;
  const limits = { after: undefined, limit: UNKNOWN_MAX };
  const wanted = { ...query, terms: others, lacks: OVERALL_FIGURES, ...limits };
  const lacking = await loadTests.list(wanted);
  const beganMs = performance.now();
  let [known, notStored] = [0, 0];
  for (const { id, endpoints } of lacking) {
    const isLate = performance.now() - beganMs > COMPUTING_MS_MAX;
    if (isLate || notStored === NOT_STORED_MAX) break;
    if (endpoints > ENDPOINTS_MAX) continue;
    await storeOverall(store, { id }).catch(unlessUserError);
    const stored = await points.figures.find([id], OVERALL_FIGURES);
    if (stored.has(id)) known += 1;
    else notStored += 1;
  }
  return lacking.length - known;
}

/** Stores what searches read of a load test; nothing if it is gone. Throws what `summarise` throws. */
export async function storeOverall(
  { points }: Pick<Store, "points">,
  { id }: Pick<LoadTestSummary, "id">,
): Promise<void> {
  const whole = { selection: ALL_ENDPOINTS, range: undefined, apdexMicros: undefined };
  const summary = await unless("unknown-load-test", () =>
    summarise(points, { loadTestId: id, ...whole }),
  );
  if (summary === undefined) return;
  const { p50, p95, p99, avgLoadTime } = summary.overall;
  const text = JSON.stringify([p50, p95, p99, avgLoadTime]);
  await points.figures.keep(id, OVERALL_FIGURES, { revision: summary.revision, text });
}

/** What `storeOverall` stored. */
export function overallIn(text: string): ListedFigures {
  const [p50, p95, p99, avgLoadTime] = JSON.parse(text) as readonly (number | null)[];
  return { p50, p95, p99, avgLoadTime };
}
