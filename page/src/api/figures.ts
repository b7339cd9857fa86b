import type { Role, WholeContents } from "../format/whole.ts";
import { addressOf, type Answer, ask, askFile } from "./client.ts";

/** What of a load test is shown: everything follows one range and one selection. */
export interface Scope {
  readonly id: string;
  /** Text that labels contain; empty: all. */
  readonly filter: string;
  /** SHA-1 of the labels of endpoints that are selected; empty: all that match the filter. */
  readonly hashes: readonly string[];
  /** UNIX seconds, half open; `undefined`: all of it. */
  readonly from: number | undefined;
  readonly until: number | undefined;
}

/** See docs/api.md, "Summary". Times in seconds. */
export interface Figures {
  readonly count: number;
  readonly errCount: number;
  readonly errRate: number;
  readonly avgLoadTime: number;
  readonly minLoadTime?: number;
  readonly maxLoadTime?: number;
  readonly p50?: number;
  readonly p90?: number;
  readonly p95?: number;
  readonly p99?: number;
  readonly p999?: number;
  readonly receivedBytes: number;
  readonly reqPerSec: number;
  readonly kbPerSec: number;
  readonly from?: number;
  readonly until?: number;
  readonly range: number;
}

export interface EndpointFigures extends Figures {
  readonly hash: string;
  readonly label: string;
  /** Absent where the rows are requests. */
  readonly role?: Role;
}

/** Figures of several endpoints as one, and what they are made of. */
export interface OverallFigures extends Figures, WholeContents {}

/** The first rows of a table, where all of them would be too many. */
export interface RowsWish {
  readonly limit: number;
  readonly sort: SortColumn;
  readonly order: "ascending" | "descending";
}

/** What rows can be sorted by. */
type SortColumn =
  | "label"
  | "count"
  | "errRate"
  | "avgLoadTime"
  | "minLoadTime"
  | "p50"
  | "p90"
  | "p95"
  | "p99"
  | "p999"
  | "maxLoadTime"
  | "kbPerSec";

export interface Summary extends WholeContents {
  readonly overall: Figures;
  /** Endpoints of the scope; where only the first of them are here. */
  readonly endpointCount?: number;
  readonly endpoints: readonly EndpointFigures[];
}

/** See docs/api.md, "Percentiles". */
export interface Series {
  readonly hash?: string;
  readonly label?: string;
  readonly labels: readonly number[];
  readonly windows?: readonly number[];
  readonly count: readonly number[];
  readonly errCount: readonly number[];
  readonly avgLoadTime: readonly number[];
  readonly receivedBytes: readonly number[];
  readonly percentiles: Readonly<Record<string, readonly number[]>>;
  /** Where it was asked for. */
  readonly band?: Band;
}

/** For each point the lowest and the highest value that one of the merged endpoints has. */
export interface Band {
  readonly lowest: BandEdge;
  readonly highest: BandEdge;
}

export type BandEdge = Pick<Series, "avgLoadTime" | "percentiles">;

/** See docs/api.md, "Heatmap". */
export interface Heatmap {
  readonly resolution: number;
  readonly labels: readonly number[];
  readonly rows: readonly number[];
  readonly cells: readonly (readonly (readonly [row: number, requests: number])[])[];
}

export interface NamedEndpoint {
  readonly hash: string;
  readonly label: string;
}

/** See docs/api.md, "Findings". */
export type Finding =
  | {
      readonly kind: "step";
      readonly at: number;
      readonly p95Before: number;
      readonly p95After: number;
      readonly backAt?: number;
      readonly endpoints: readonly NamedEndpoint[];
    }
  | {
      readonly kind: "burst";
      readonly from: number;
      readonly until: number;
      readonly errCount: number;
      readonly allErrCount: number;
      readonly failure?: {
        readonly code: string;
        readonly message: string;
        readonly count: number;
      };
      readonly endpoints: readonly NamedEndpoint[];
    };

/** See docs/api.md, "Failures". */
export interface Failures {
  readonly errCount: number;
  readonly withoutKind: number;
  readonly kinds: readonly FailureKind[];
  /** Seconds of a window in `series`. */
  readonly resolution: number;
}

export interface FailureKind {
  readonly code: string;
  readonly message: string;
  readonly count: number;
  readonly from?: number;
  readonly until?: number;
  readonly endpointCount: number;
  readonly endpoints: readonly (NamedEndpoint & { readonly count: number })[];
  readonly series: readonly (readonly [second: number, count: number])[];
}

/** Pairs of UNIX second and number of users, where the number changes. */
export type Users = readonly (readonly [second: number, users: number])[];

/** The endpoints of the scope, all of them or the first `rows.limit` in an order. */
export function askSummary(scope: Scope, signal: AbortSignal, rows?: RowsWish): Promise<Summary> {
  // The table shows all that match the filter; what is selected is marked in it.
  return ask("getSummary", { ...parametersOf({ ...scope, hashes: [] }), ...rows }, { signal });
}

/** The figures of what is selected, as one. */
export async function askOverall(scope: Scope, signal: AbortSignal): Promise<OverallFigures> {
  return overallOf(await ask("getSummary", { ...parametersOf(scope), limit: 1 }, { signal }));
}

/** What a summary says of all its endpoints as one. */
export function overallOf({ overall, ...summary }: Summary): OverallFigures {
  return { ...overall, overallOf: summary.overallOf, leftOut: summary.leftOut };
}

/** One series of all endpoints of the scope, on request with the band that they span. */
export async function askMerged(
  scope: Scope,
  resolution: number,
  signal: AbortSignal,
  hasBand = false,
): Promise<Series> {
  const band = hasBand ? "true" : undefined;
  const parameters = { ...parametersOf(scope), resolution, percent: "50,95,99", band } as const;
  const [series] = await ask("getPercentiles", { ...parameters, merge: "true" }, { signal });
  if (series === undefined) throw new Error("BUG: the service merged nothing into nothing");
  return series;
}

/** A series of each endpoint of the scope. */
export function askEach(
  scope: Scope,
  resolution: number,
  signal: AbortSignal,
  percent = "95",
): Promise<readonly Series[]> {
  return ask("getPercentiles", { ...parametersOf(scope), resolution, percent }, { signal });
}

export function askHeatmap(
  scope: Scope,
  resolution: number,
  signal: AbortSignal,
): Promise<Heatmap> {
  return ask("getHeatmap", { ...parametersOf(scope), resolution }, { signal });
}

export function askFindings(scope: Scope, signal: AbortSignal): Promise<readonly Finding[]> {
  return ask("getFindings", parametersOf(scope), { signal });
}

/** Why requests failed, over all endpoints of the scope. */
export async function askFailures(
  scope: Scope,
  resolution: number,
  signal: AbortSignal,
): Promise<Failures> {
  const parameters = { ...parametersOf(scope), merge: "true", series: "true", resolution } as const;
  const [merged] = await ask("getFailures", parameters, { signal });
  const { errCount = 0, withoutKind = 0, kinds = [] } = merged ?? {};
  return { errCount, withoutKind, kinds: kinds.map(allOfKind), resolution };
}

/** A kind with what only answers about several endpoints have. */
function allOfKind(kind: Answer<"getFailures">[number]["kinds"][number]): FailureKind {
  return { endpointCount: 0, endpoints: [], series: [], ...kind };
}

export function askUsers(scope: Scope, signal: AbortSignal): Promise<Users> {
  const { id, from, until } = scope;
  return ask("getUsers", { id, from, until }, { signal });
}

/** The report of a range and a filter, as a file; `address` is named in it. */
export function askReport(scope: Scope, address: string): Promise<Blob> {
  return askFile("getReport", { ...parametersOf({ ...scope, hashes: [] }), address });
}

/**
 * Where the same endpoints are given second by second: by `GET /Api/Metrics` as csv where its filter or
 * hash can say which, else by the operation that takes all of them or several.
 */
export function secondsUrlOf(scope: Scope): string {
  const { id, filter, hashes, from, until } = scope;
  if (hashes.length > 1 || (hashes.length === 0 && filter === "")) {
    return addressOf("getPercentiles", parametersOf(scope));
  }
  const which = hashes.length === 1 ? { hash: hashes[0] } : { filter };
  return addressOf("getMetrics", { loadTestId: id, ...which, from, until, format: "csv" });
}

/** The parameters of a scope: those that are selected, or else those that match. */
function parametersOf({ id, filter, hashes, from, until }: Scope) {
  const which =
    hashes.length > 0
      ? { hashes: hashes.join(",") }
      : { filter: filter === "" ? undefined : filter };
  return { id, ...which, from, until };
}

/** How many endpoints of the scope there are, listed or not. */
export function endpointCountOf({ endpointCount, endpoints }: Summary): number {
  return endpointCount ?? endpoints.length;
}
