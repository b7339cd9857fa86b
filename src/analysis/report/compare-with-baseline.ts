import type { ComparedRuns } from "../../api/compare.ts";
import { findBaseline } from "../../catalogue/baseline.ts";
import type { SelectedPart } from "../../series/endpoint-selection.ts";
import type { Store } from "../../store/store.ts";
import type { SeveralQuery } from "../compare/compare-several.ts";
import type { BaselineComparison } from "./write-report.ts";

/** Rows that leave room for the rest of a printed run, one of them for all requests. */
const ROWS_MAX = 10;

/** `undefined` of a part of a run's time, and without another run as the baseline of its name. Throws what `compare` throws. */
export async function compareWithBaseline(
  { loadTests }: Pick<Store, "loadTests">,
  { loadTestId, selection, range }: SelectedPart,
  compare: (query: SeveralQuery) => Promise<ComparedRuns>,
): Promise<BaselineComparison | undefined> {
  const loadTest = await loadTests.find(loadTestId);
  if (loadTest?.from === undefined || range !== undefined) return undefined;
  const base = await findBaseline(loadTests, loadTest.name);
  if (base?.from === undefined || base.id === loadTestId) return undefined;
  const { measures: _, ...compared } = await compare({
    runs: [base.id, loadTestId],
    selection,
    skipStartSeconds: 0,
    skipEndSeconds: 0,
    limit: Infinity,
  });
  const changed = compared.endpoints.filter(({ cells }) => cells.some(isChanged));
  const endpoints = changed.slice(0, ROWS_MAX - 1);
  const leftOut = { ...compared.leftOut, endpoints: changed.length - endpoints.length };
  return { ...compared, endpoints, leftOut };
}

const CHANGED: ReadonlySet<string | undefined> = new Set(["slower", "faster", "new", "gone"]);

function isChanged({ verdict, errRate }: ComparedRuns["overall"][number]): boolean {
  return CHANGED.has(verdict) || errRate.isSignificant === true;
}
