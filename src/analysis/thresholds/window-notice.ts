import type { LoadTestSummary } from "../../model/load-test.ts";
import { ALL_ENDPOINTS, type SelectedPart } from "../../series/endpoint-selection.ts";
import type { Store } from "../../store/store.ts";
import type { CheckedLimit } from "../check/limit.ts";
import { openStoreReader } from "../load-test-reader.ts";
import { LINES_MAX, type NoticeEndpoint, type WindowNotice } from "./notice.ts";

const ENDPOINTS_MAX = 5;

interface WindowEvent {
  readonly event: WindowNotice["event"];
  readonly loadTest: LoadTestSummary;
  /** Limits that broke, with the window; or that are kept again, with the newest window. */
  readonly checked: readonly CheckedLimit[];
  readonly address: string | undefined;
}

/** Reads what a notice tells of windows. Throws what `summarise` throws. */
export async function windowNotice(
  store: Pick<Store, "loadTests" | "points">,
  { event, loadTest, checked, address }: WindowEvent,
): Promise<WindowNotice> {
  const { id, name, createdAtMs } = loadTest;
  const thresholds: WindowNotice["thresholds"][number][] = [];
  for (const { limit, newest, ...broken } of checked.slice(0, LINES_MAX)) {
    const { measured, window } = event === "thresholds-broken" ? broken : (newest ?? broken);
    if (window === undefined) continue;
    const { text: failIf, unit, bound, label, selector, facets: where } = limit;
    const selection =
      where === undefined
        ? ALL_ENDPOINTS
        : { ...ALL_ENDPOINTS, facets: { where, by: [], mayBeMissing: true } as const };
    const { from, until } = window;
    const part = { loadTestId: id, selection, range: { from, until } };
    const endpoints = await worstEndpoints(store, part);
    const own = endpoints.filter((each) => label === undefined || each.label === label);
    const about = { failIf, unit, bound, ...(selector && { measure: selector.name ?? "" }) };
    thresholds.push({ ...about, measured, window, endpoints: own.slice(0, ENDPOINTS_MAX) });
  }
  return {
    event,
    id: `${event} ${createdAtMs} ${id}`,
    loadTest: { id, name },
    address,
    thresholds,
    count: checked.length,
  };
}

/** All endpoints with requests in a window, those with the most failed ones first. */
async function worstEndpoints(
  store: Pick<Store, "loadTests" | "points">,
  part: SelectedPart,
): Promise<readonly NoticeEndpoint[]> {
  const { endpoints } = await openStoreReader(store).summarise({ ...part, apdexMicros: undefined });
  return endpoints
    .filter(({ count, role }) => count > 0 && role === undefined)
    .map(({ label, count, errCount, p95 }) => {
      return { label, requests: count, failedRequests: errCount, p95: p95 ?? null };
    })
    .toSorted(
      (left, right) =>
        right.failedRequests - left.failedRequests || (right.p95 ?? 0) - (left.p95 ?? 0),
    );
}
