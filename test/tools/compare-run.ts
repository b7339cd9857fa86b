import { readFileSync } from "node:fs";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { sortedMicros } from "../independent/answers.mjs";
import { type IndependentReading, readResults } from "../independent/read-results.mjs";
import { readingDifferences } from "../samples/check-file.ts";
import { detailDifferences } from "../samples/detail-differences.ts";
import { figuresOfEndpoint } from "../samples/figures.ts";
import { type Imported, type ImportedEndpoint, importAndRead } from "../samples/import-and-read.ts";
import { quantileOf } from "../samples/quantile-of.ts";
import type { FollowedRun } from "./follow-run.ts";
import type {
  Comparison,
  RecordedFile,
  ReportedEndpoint,
  ReportedFailure,
  RunReport,
} from "./tool.ts";

/**
 * Imports a recorded file and compares it with an independent reading of it, with the tool's own report and
 * with what was stored while the tool ran.
 */
export async function compareRun(
  { path: file, format }: RecordedFile,
  report: RunReport,
  followed?: FollowedRun,
): Promise<Comparison> {
  const bytes = readFileSync(file);
  const imported = await importAndRead(bytes);
  const reading = readResults(bytes);
  const quantiles = quantileDifferences(imported, reading, report);
  const differences = [
    ...outcomeDifferences(imported, format),
    ...readingDifferences(imported, reading),
    ...detailDifferences(imported, reading),
    ...endpointDifferences(imported, report),
    ...quantiles.differences,
    ...failureDifferences(imported, report),
    ...userDifferences(imported, report),
    ...(followed === undefined ? [] : followedDifferences(imported, followed)),
  ].map((difference) => `${path.basename(file)}: ${difference}`);
  return { differences, figures: figuresOf(imported, { report, quantiles, followed }) };
}

function outcomeDifferences({ report, outcome }: Imported, format: string): string[] {
  const got = { format: report?.format, ...outcome };
  const isAsWanted = got.format === format && outcome.rejected === 0 && outcome.ending === "whole";
  return isAsWanted
    ? []
    : [`expected a whole ${format} without rejections, got ${JSON.stringify(got)}`];
}

/** What is known of a run, however it was stored. */
type Stored = Pick<Imported, "endpoints" | "users">;

/** One line for each endpoint that differs from the tool's report. */
export function endpointDifferences({ endpoints }: Stored, report: RunReport): string[] {
  const own = new Map(endpoints.map((endpoint) => [endpoint.label, endpoint]));
  const unknown = [...own.keys()].filter((label) => report.endpoints[label] === undefined);
  return [
    ...unknown.map((label) => `${label}: the tool does not report it`),
    ...Object.entries(report.endpoints).flatMap(([label, reported]) => {
      const endpoint = own.get(label);
      if (endpoint === undefined) return [`${label}: missing`];
      return figureDifferences(endpoint, reported, report.roundingMs);
    }),
  ];
}

function figureDifferences(
  endpoint: ImportedEndpoint,
  reported: ReportedEndpoint,
  roundingMs: number,
): string[] {
  const own = figuresOfEndpoint(endpoint);
  return (["count", "errors", "avgMs", "minMs", "maxMs"] as const).flatMap((figure) => {
    const want = reported[figure];
    // Our times are rounded to the microsecond.
    const tolerance = figure.endsWith("Ms") ? roundingMs + 0.001 : 0;
    if (want === undefined || Math.abs(want - own[figure]) <= tolerance + 1e-9) return [];
    return [`${endpoint.label}: ${figure} ${own[figure]}, the tool reports ${want}`];
  });
}

interface QuantileComparison {
  readonly differences: readonly string[];
  readonly compared: number;
  /** How many of them differ by more than 1 %, but by at most one rank. */
  readonly byRank: number;
}

/**
 * A percentile agrees if it is within 1 % of the tool's. Tools that interpolate or take the next request
 * differ more where there are few requests: then the tool's value must lie between the requests before and
 * after the nearest rank.
 */
function quantileDifferences(
  { endpoints }: Imported,
  reading: IndependentReading | undefined,
  { endpoints: reported, roundingMs: timesMs, quantileRoundingMs = () => timesMs }: RunReport,
): QuantileComparison {
  const samples = Map.groupBy(reading?.samples ?? [], ({ label }) => label);
  const compared = endpoints.flatMap((endpoint) => {
    const { label } = endpoint;
    const exactMs = sortedMicros(samples.get(label) ?? []).map((micros) => micros / 1000);
    return Object.entries(reported[label]?.quantilesMs ?? {}).map(([quantile, wantMs]) => {
      const gotMs = quantileOf(endpoint, Number(quantile)) / 1000;
      const roundingMs = quantileRoundingMs(wantMs);
      const isClose = Math.abs(gotMs - wantMs) <= wantMs * 0.01 + roundingMs;
      const isNext = isNextRank({ exactMs, quantile: Number(quantile), wantMs, roundingMs });
      const text = `${label}: quantile ${quantile} is ${gotMs} ms, the tool reports ${wantMs}`;
      return { isClose, isNext, text };
    });
  });
  return {
    differences: compared.filter((each) => !each.isClose && !each.isNext).map(({ text }) => text),
    compared: compared.length,
    byRank: compared.filter((each) => !each.isClose && each.isNext).length,
  };
}

function isNextRank(given: {
  readonly exactMs: readonly number[];
  readonly quantile: number;
  readonly wantMs: number;
  readonly roundingMs: number;
}): boolean {
  const { exactMs, quantile, wantMs, roundingMs } = given;
  const rank = Math.max(1, Math.ceil(quantile * exactMs.length)) - 1;
  const before = exactMs[Math.max(0, rank - 1)] ?? Number.NaN;
  const behind = exactMs[Math.min(exactMs.length - 1, rank + 1)] ?? Number.NaN;
  return wantMs >= before - roundingMs && wantMs <= behind + roundingMs;
}

/** The same for failures by kind, if the tool reports any. */
export function failureDifferences(
  { endpoints }: Stored,
  { failures: reported = [], labelsWithoutFailures: silent = [] }: RunReport,
): string[] {
  const own = endpoints
    .filter(({ label }) => !silent.includes(label))
    .flatMap(({ label, failures }) => failures.map((failure) => ({ label, ...failure })));
  const isOf = (kind: ReportedFailure) => (failure: (typeof own)[number]) =>
    (kind.label ?? failure.label) === failure.label &&
    (kind.code ?? failure.code) === failure.code &&
    (kind.message ?? failure.message) === failure.message;
  const differing = reported.flatMap((kind) => {
    const got = sum(own.filter(isOf(kind)).map(({ requests }) => requests));
    return got === kind.requests ? [] : [`${JSON.stringify(kind)}: got ${got} failures`];
  });
  const unknown = own.filter((failure) => !reported.some((kind) => isOf(kind)(failure)));
  const isRecorded = reported.length > 0;
  return [
    ...differing,
    ...(isRecorded
      ? unknown.map((each) => `the tool does not report ${JSON.stringify(each)}`)
      : []),
  ];
}

/** The same for users. */
export function userDifferences({ users }: Stored, report: RunReport): string[] {
  const own = {
    started: sum(users.map(({ started }) => started)),
    ended: sum(users.map(({ ended }) => ended)),
    mostActive: Math.max(0, ...users.map(({ active }) => active)),
  };
  return (["started", "ended", "mostActive"] as const).flatMap((figure) => {
    const want = report.users?.[figure];
    if (want === undefined || want === own[figure]) return [];
    return [`users ${figure}: ${own[figure]}, the tool reports ${want}`];
  });
}

/** What was stored while the tool wrote must equal an import of the complete file. */
function followedDifferences(imported: Imported, followed: FollowedRun): string[] {
  const { requestsAtEnd, looksWithMore, looksWithGrowth } = followed;
  // The list leaves out sub-results and transactions, as the report does.
  const requests = imported.report?.requests;
  return [
    ...(isDeepStrictEqual(followed.endpoints, imported.endpoints)
      ? []
      : ["followed: other endpoints, figures or failures than imported"]),
    ...(isDeepStrictEqual(followed.users, imported.users) ? [] : ["followed: other users"]),
    ...(requestsAtEnd === requests
      ? []
      : [`followed: ${requestsAtEnd} of ${requests} requests were there when the tool had ended`]),
    ...(looksWithMore * 2 >= looksWithGrowth
      ? []
      : [`followed: the file grew ${looksWithGrowth} times, the store ${looksWithMore} times`]),
  ];
}

function figuresOf(
  imported: Imported,
  given: {
    readonly report: RunReport;
    readonly quantiles: QuantileComparison;
    readonly followed: FollowedRun | undefined;
  },
): string {
  const { compared, byRank } = given.quantiles;
  return [
    ...summaryOf(imported, given.report),
    `${compared} percentiles (${byRank} by the next rank)`,
    ...(given.followed === undefined
      ? []
      : [`followed live (grew ${given.followed.looksWithMore} times)`]),
  ].join(", ");
}

export function summaryOf(
  { endpoints }: Stored,
  { failures = [], users = {} }: RunReport,
): readonly string[] {
  const figures = endpoints.map(figuresOfEndpoint);
  return [
    `${sum(figures.map(({ count }) => count))} requests`,
    `${sum(figures.map(({ errors }) => errors))} failed`,
    `${endpoints.length} endpoints`,
    `${failures.length} kinds of failures`,
    `users ${JSON.stringify(users)}`,
  ];
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
