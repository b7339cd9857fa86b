import type { FacetFilter } from "../facets/facet-filter.ts";
import type { WholeContents } from "../format/whole.ts";
import { addressOf, type Answer, ask, askFile, type Parameters } from "./client.ts";

/** The shown part of a load test: one range and one selection for everything. */
export interface Scope extends FacetFilter {
  readonly id: string;
  /** Text that labels contain; empty: any. */
  readonly filter: string;
  /** SHA-1 of the labels of selected endpoints; empty: all that match the filter. */
  readonly hashes: readonly string[];
  /** UNIX seconds, half-open; `undefined`: all. */
  readonly from: number | undefined;
  readonly until: number | undefined;
  /** Which requests count. @default all */
  readonly outcome?: Outcome | undefined;
}

export type Outcome = "passed" | "failed";

/** See docs/api.md, "Summary". Times in seconds. */
export type Summary = Answer<"getSummary">;
export type Figures = Summary["overall"];
export type EndpointFigures = Summary["endpoints"][number];

/** A value of the facet by which endpoints are split, such as a transaction. */
export type ParentFigures = NonNullable<Summary["parents"]>[number];

/** Figures of several endpoints combined, their composition and their limits. */
export type OverallFigures = Figures & WholeContents & Pick<Summary, "quality">;

/** The first rows of a table that would be too long. */
export type RowsRequest = Required<Pick<SummaryParameters, "limit" | "sort" | "order">>;

type SummaryParameters = {
  readonly [Name in keyof Parameters<"getSummary">]: NonNullable<Parameters<"getSummary">[Name]>;
};

/** See docs/api.md, "Percentiles". */
export type Series = Answer<"getPercentiles">[number];

/** Lowest and highest value among the merged endpoints at each point. */
export type Band = NonNullable<Series["band"]>;
export type BandEdge = Band["lowest"];

/** See docs/api.md, "Heatmap". */
export type Heatmap = Answer<"getHeatmap">;
export type HeatmapEndpoints = Answer<"getHeatmapEndpoints">;

/** See docs/capacity.md. */
export type Capacity = Answer<"getCapacity">;

/** See docs/api.md, "Findings". */
export type Incident = Extract<FoundItem, { readonly kind: "incident" }>;
export type Finding = Incident["findings"][number];
type FoundItem = Answer<"getFindings">[number];
export type NamedEndpoint = Extract<Finding, { readonly kind: "burst" }>["endpoints"][number];

/** See docs/api.md, "Failures". */
export interface Failures {
  readonly errCount: number;
  readonly withoutKind: number;
  readonly kinds: readonly FailureKind[];
  /** Window in seconds, in `series`. */
  readonly resolution: number;
  /** What was asked for. */
  readonly scope: Scope;
}

type AnsweredKind = Answer<"getFailures">[number]["kinds"][number];

/** Adds fields that only responses for several endpoints have, or that were requested. */
export type FailureKind = AnsweredKind &
  Required<Pick<AnsweredKind, "endpointCount" | "endpoints" | "series">>;

/** Pairs of UNIX second and number of users, one per change. */
export type Users = Answer<"getUsers">;

/** The endpoints of the scope: all, or the first `rows.limit` in an order. */
export function askSummary(
  scope: Scope,
  signal: AbortSignal,
  rows?: RowsRequest,
): Promise<Summary> {
  // The table lists everything that matches the filter and marks the selection.
  return ask(
    "getSummary",
    { ...outcomeParametersOf({ ...scope, hashes: [] }), ...rows, tree: scope.tree && "true" },
    { signal },
  );
}

/** The combined figures of the selection. */
export async function askOverall(scope: Scope, signal: AbortSignal): Promise<OverallFigures> {
  return overallOf(
    await ask("getSummary", { ...outcomeParametersOf(scope), limit: 1 }, { signal }),
  );
}

export function overallOf({ overall, ...summary }: Summary): OverallFigures {
  return {
    ...overall,
    overallOf: summary.overallOf,
    leftOut: summary.leftOut,
    quality: summary.quality,
  };
}

/** One series of the whole scope, optionally with the band it spans. */
export async function askMerged(
  scope: Scope,
  resolution: number,
  signal: AbortSignal,
  hasBand = false,
): Promise<Series> {
  const band = hasBand ? "true" : undefined;
  const figures = { resolution, percent: "50,95,99", band } as const;
  const parameters = { ...outcomeParametersOf(scope), ...figures };
  const [series] = await ask("getPercentiles", { ...parameters, merge: "true" }, { signal });
  if (series === undefined) throw new Error("BUG: the service merged nothing into nothing");
  return series;
}

/** One series per endpoint of the scope. */
export function askEach(
  scope: Scope,
  resolution: number,
  signal: AbortSignal,
  percent = "95",
): Promise<readonly Series[]> {
  return ask("getPercentiles", { ...outcomeParametersOf(scope), resolution, percent }, { signal });
}

export function askHeatmap(
  scope: Scope,
  resolution: number,
  signal: AbortSignal,
): Promise<Heatmap> {
  return ask("getHeatmap", { ...outcomeParametersOf(scope), resolution }, { signal });
}

/** The endpoints in a rectangle of the heatmap, whose seconds are those of the scope. */
export function askHeatmapEndpoints(
  scope: Scope,
  rectangle: Pick<Parameters<"getHeatmapEndpoints">, "fromMicros" | "untilMicros" | "limit">,
  signal: AbortSignal,
): Promise<HeatmapEndpoints> {
  return ask("getHeatmapEndpoints", { ...outcomeParametersOf(scope), ...rectangle }, { signal });
}

/** Of all requests of the scope, whatever their outcome. */
export function askCapacity(scope: Scope, signal: AbortSignal): Promise<Capacity> {
  return ask("getCapacity", parametersOf(scope), { signal });
}

/** Anomalies by incident. The summary lists unknown values. */
export async function askFindings(scope: Scope, signal: AbortSignal): Promise<readonly Incident[]> {
  const items = await ask("getFindings", parametersOf(scope), { signal });
  return items.filter((item) => item.kind === "incident");
}

/** Kinds of failures over the whole scope. */
export async function askFailures(
  scope: Scope,
  resolution: number,
  signal: AbortSignal,
): Promise<Failures> {
  const parameters = { ...parametersOf(scope), merge: "true", series: "true", resolution } as const;
  const [merged] = await ask("getFailures", parameters, { signal });
  const { errCount = 0, withoutKind = 0, kinds = [] } = merged ?? {};
  return { errCount, withoutKind, kinds: kinds.map(allOfKind), resolution, scope };
}

/** A kind of failure with what only answers about several endpoints have. */
function allOfKind(kind: AnsweredKind): FailureKind {
  return { endpointCount: 0, endpoints: [], series: [], ...kind };
}

export function askUsers(scope: Scope, signal: AbortSignal): Promise<Users> {
  const { id, from, until } = scope;
  return ask("getUsers", { id, from, until }, { signal });
}

/** Downloads the report of a range and a filter, which names `address`. With `samples` it includes single requests. */
export function askReport(scope: Scope, address: string, samples: boolean): Promise<Blob> {
  const part = parametersOf({ ...scope, hashes: [] });
  return askFile("getReport", { ...part, address, ...(samples && { samples: "true" as const }) });
}

/**
 * URL of the same requests second by second: `GET /Api/Metrics` as csv, or for several hashes, facets or an outcome
 * the operation that takes them.
 */
export function secondsUrlOf(scope: Scope): string {
  const { id, filter, hashes, from, until, where, by, outcome } = scope;
  if (hashes.length > 1 || (where ?? by ?? outcome) !== undefined)
    return addressOf("getPercentiles", outcomeParametersOf(scope));
  const matching = filter === "" ? { all: "true" as const } : { filter };
  const which = hashes.length === 1 ? { hash: hashes[0] } : matching;
  return addressOf("getMetrics", { loadTestId: id, ...which, from, until, format: "csv" });
}

/** What a scope selects, in any range. */
export function selectionOf(scope: Scope): string {
  return JSON.stringify({ ...scope, from: undefined, until: undefined });
}

/** Parameters of a scope: the selected endpoints, or those that match the filter. */
function parametersOf({ id, filter, hashes, from, until, where, by }: Scope) {
  const which =
    hashes.length > 0
      ? { hashes: hashes.join(",") }
      : { filter: filter === "" ? undefined : filter };
  return { id, ...which, from, until, where, by };
}

/** The same for operations that can count the requests of one outcome alone. */
export function outcomeParametersOf(scope: Scope) {
  return { ...parametersOf(scope), outcome: scope.outcome };
}

/** Number of endpoints in the scope, listed or not. */
export function endpointCountOf({ endpointCount, endpoints }: Summary): number {
  return endpointCount ?? endpoints.length;
}
