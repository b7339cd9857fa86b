import type { DerivedRole } from "../model/role.ts";
import type { SecondRange } from "../model/second-range.ts";
import type { EndpointSelection } from "./endpoint-selection.ts";
import type { SortColumn } from "./sort-columns.ts";
import type { Figures } from "./figures.ts";
import type { Snapshots } from "./open-snapshot.ts";
import { openSummary } from "./open-summary.ts";
import type { WholeContents } from "./whole.ts";

export interface SummaryQuery {
  readonly loadTestId: string;
  readonly selection: EndpointSelection;
  /** `undefined`: everything, requests without a known instant included. */
  readonly range: SecondRange | undefined;
  /** Response time that satisfies, for the Apdex; `undefined`: none is computed. */
  readonly apdexMicros: number | undefined;
  /** @default all endpoints, by label */
  readonly rows?: RowsWish | undefined;
}

/** Which endpoints are listed. The whole stays what it is. */
export interface RowsWish {
  /** At most so many, 1 or more. */
  readonly limit: number;
  /** Only those whose label contains this, letter case included. @default all */
  readonly search?: string | undefined;
  /** Equal ones are by label, ascending. */
  readonly sort: SortColumn;
  readonly order: "ascending" | "descending";
}

/** What is said of everything that is selected. */
export interface SummaryHead extends WholeContents {
  /** All that is selected as one (`whole.ts`). */
  readonly overall: Figures;
  /** How many endpoints have requests in the range; where rows were wished for. */
  readonly endpointCount?: number | undefined;
  /** How many of them the search finds; where rows were wished for. */
  readonly matchingCount?: number | undefined;
}

export interface Summary extends SummaryHead {
  /** See `Snapshot.revision`. */
  readonly revision: string;
  /** By label, or as wished for. Endpoints without a request in the range are not among them. */
  readonly endpoints: readonly EndpointFigures[];
}

export interface EndpointFigures extends Figures {
  readonly label: string;
  /** SHA-1 of the label, 40 hex digits. */
  readonly hash: string;
  /** Absent where its rows are requests. */
  readonly role?: DerivedRole | undefined;
}

/** Summarises what is selected. Throws `unknown-load-test`, `sum-too-large`, `damaged-store`. */
export async function summarise(points: Snapshots, query: SummaryQuery): Promise<Summary> {
  const opened = await openSummary(points, query);
  try {
    const endpoints: EndpointFigures[] = [];
    for await (const part of opened.endpoints()) endpoints.push(...part);
    return { revision: opened.revision, ...opened.head, endpoints };
  } finally {
    opened.release();
  }
}
