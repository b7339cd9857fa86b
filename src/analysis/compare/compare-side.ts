import type { SeriesColumns, SumColumns } from "../../model/data-points.ts";
import type { Endpoint } from "../../model/load-test.ts";
import {
  ALL_SECONDS,
  endOfPoints,
  longestPoint,
  type SecondRange,
  withoutSecondZero,
} from "../../model/columns.ts";
import type { Points } from "../../store/store.ts";
import type { Span } from "./compare-blocks.ts";
import type { EndpointSelection } from "../../series/endpoint-selection.ts";
import { listSelected } from "../../series/selected-series.ts";
import { openSnapshot, type Snapshots, withSnapshot } from "../../series/open-snapshot.ts";
import type { QualityRemark } from "../../api/parts.ts";
import { readSourceFacts, remarksOn } from "../../query/source-facts.ts";
import { hasRamps, spanOfRun, type SteadyPart, steadyRange } from "../../series/overall.ts";
import { paced } from "../../concurrency/yielder.ts";
import type { Snapshot } from "../../store/snapshot.ts";

export interface ComparedPart extends SteadyPart {
  readonly loadTestId: string;
  readonly selection: EndpointSelection;
}

export interface ComparedSide extends Disposable {
  /** By label; those of the selection with a request in the range. */
  readonly endpoints: ReadonlyMap<string, SideEndpoint>;
  /** All of the selection, whatever the range. */
  readonly selected: readonly Endpoint[];
  readonly quality: readonly QualityRemark[];
  /** Yields the points of those of `labels` that exist, in order. */
  read(labels: readonly string[]): AsyncIterable<{ readonly columns: SeriesColumns }>;
}

interface SideEndpoint {
  readonly endpoint: Endpoint;
  readonly span: Span;
}

/** Throws `unknown-load-test`, `too-many-endpoints`, `damaged-store`. */
export async function openComparedSide(points: Points, part: ComparedPart): Promise<ComparedSide> {
  const snapshot = await openSnapshot(points, part.loadTestId, part);
  try {
    const { selection } = part;
    const selected = await listSelected(snapshot, { selection, doing: "compare" });
    const range = await rangeOf(snapshot, part);
    const { remarks } = await readSourceFacts(snapshot, range);
    const endpoints = new Map<string, SideEndpoint>();
    for await (const { endpoint, columns } of paced(snapshot.read(selected, range, "sums"))) {
      if (columns.second.length === 0) continue;
      endpoints.set(endpoint.label, { endpoint, span: spanOf(columns) });
    }
    return {
      endpoints,
      selected,
      quality: remarksOn(remarks, ["times"]),
      read(labels) {
        const own = labels.flatMap((label) => endpoints.get(label)?.endpoint ?? []);
        return snapshot.read(own, range, "distribution");
      },
      [Symbol.dispose]: () => snapshot.release(),
    };
  } catch (error) {
    snapshot.release();
    throw error;
  }
}

/** Returns the range of a part; `undefined` for all of it. Throws `unknown-load-test`, `damaged-store`. */
export async function readPartRange(
  points: Snapshots,
  part: ComparedPart,
): Promise<SecondRange | undefined> {
  if (part.range === undefined && !hasRamps(part)) return undefined;
  return withSnapshot(points, part, (snapshot) => rangeOf(snapshot, part));
}

async function rangeOf(snapshot: Snapshot, part: ComparedPart): Promise<SecondRange> {
  if (hasRamps(part)) return withoutSecondZero(steadyRange(part, await spanOfRun(snapshot)));
  return part.range === undefined ? ALL_SECONDS : withoutSecondZero(part.range);
}

function spanOf(columns: SumColumns): Span {
  const { second, requests, windowSeconds } = columns;
  const from = second.find((each) => each > 0) ?? 0;
  return {
    requests: requests.reduce((sum, count) => sum + count, 0),
    from,
    until: endOfPoints(columns),
    windowSeconds: longestPoint(windowSeconds),
  };
}
