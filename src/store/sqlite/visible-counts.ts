/** Maintains the counts of a load test's visible data, within a write transaction. */

import { tooManyRequests } from "../refusals.ts";
import type { WriteTarget } from "./write-target.ts";
import { encodeEndpointSet, numbersIn } from "../block/endpoint-set.ts";
import { labelsIn, showLabels } from "./endpoints/label-room.ts";
import type { LoadTestRow } from "./catalogue/load-test-rows.ts";
import type { SourceRow } from "./catalogue/source-rows.ts";
import { addTallies, EMPTY_TALLY, type Tally, uncountedRows } from "./catalogue/tally.ts";

interface VisibleChange {
  readonly revision: number;
  readonly blocksAdded: number;
  /** Row before the change. */
  readonly source: SourceRow;
  /** Endpoints visible after the change, with or without the earlier ones. */
  readonly added: Uint8Array;
  /** Their labels in the order of arrival, if known. */
  readonly order?: readonly string[];
}

/** Recounts visible data from the counts of the sources. Throws `too-many-labels`, `sum-too-large`. */
export function saveVisible(
  file: WriteTarget,
  row: LoadTestRow,
  { revision, blocksAdded, source, added, order }: VisibleChange,
): void {
  const { writing } = file;
  const visible = writing.sources.visible(row.number);
  const tallies = visible.map(({ tally }) => tally);
  const tally = tallies.length === 0 ? EMPTY_TALLY : addTallies(tallies);
  if (tally.requests > Number.MAX_SAFE_INTEGER) throw tooManyRequests(row.id);
  const others = visible.filter(({ number }) => number !== source.number);
  const before = () => [...others, source].map((each) => each.tally.endpoints);
  const uncounted = uncountedRows(tally);
  const endpoints = showLabels(file, row, { before, added, after: tally.endpoints, order });
  writing.loadTests.save({
    ...row,
    revision,
    blocks: row.blocks + blocksAdded,
    endpoints,
    requests: tally.requests,
    failed_requests: tally.failedRequests,
    hidden_endpoints: hiddenLabels(file, row, { endpoints, tally, hidden: uncounted.hidden }),
    uncounted_requests: uncounted.requests,
    uncounted_failed_requests: uncounted.failedRequests,
    first_second: tally.firstSecond ?? null,
    last_second: tally.lastSecond ?? null,
    last_data_at_ms: file.now(),
  });
}

interface Hiding {
  readonly endpoints: number;
  readonly tally: Tally;
  readonly hidden: readonly number[];
}

/** Labels of which no series is shown. */
function hiddenLabels(
  file: WriteTarget,
  { number }: LoadTestRow,
  { endpoints, tally, hidden }: Hiding,
): number {
  if (hidden.length === 0) return 0;
  const isHidden = new Set(hidden);
  const shown = numbersIn(tally.endpoints).filter((endpoint) => !isHidden.has(endpoint));
  return endpoints - labelsIn(file, number, encodeEndpointSet(shown));
}

interface Appended {
  readonly revision: number;
  /** Row before the change. */
  readonly source: SourceRow;
  /** Counts after the change. */
  readonly counted: Tally;
  readonly tally: Tally;
  readonly order: readonly string[];
}

/** Updates the counts for a batch of a live source. Throws `too-many-labels`, `sum-too-large`. */
export function saveAppended(
  file: WriteTarget,
  row: LoadTestRow,
  { revision, source, counted, tally, order }: Appended,
): void {
  const hasRoles = counted.roleCounts.size > 0;
  if (!hasRoles && Buffer.compare(counted.endpoints, source.tally.endpoints) === 0) {
    addVisible(file, row, { revision, tally });
  } else {
    const change = { blocksAdded: tally.blocks, source, added: tally.endpoints };
    saveVisible(file, row, { revision, ...change, order });
  }
}

/** No endpoint is new to the source and all are requests: the other, perhaps many, sources need not be read. */
function addVisible(
  { writing, now }: WriteTarget,
  row: LoadTestRow,
  { revision, tally }: { readonly revision: number; readonly tally: Tally },
): void {
  const shown: Tally = {
    ...EMPTY_TALLY,
    requests: row.requests,
    failedRequests: row.failed_requests,
    firstSecond: row.first_second ?? undefined,
    lastSecond: row.last_second ?? undefined,
  };
  const counted = addTallies([shown, tally]);
  if (counted.requests > Number.MAX_SAFE_INTEGER) throw tooManyRequests(row.id);
  writing.loadTests.save({
    ...row,
    revision,
    blocks: row.blocks + counted.blocks,
    requests: counted.requests,
    failed_requests: counted.failedRequests,
    first_second: counted.firstSecond ?? null,
    last_second: counted.lastSecond ?? null,
    last_data_at_ms: now(),
  });
}
