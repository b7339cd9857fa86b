import { isDeepStrictEqual } from "node:util";
import { METRICS_FORMATS } from "../../src/render/renderer.ts";
import {
  answersOf,
  type IndependentAnswer,
  nearestRank,
  sortedMicros,
} from "../independent/answers.mjs";
import { type IndependentReading, readResults } from "../independent/read-results.mjs";
import { detailDifferences } from "./detail-differences.ts";
import type { Expectation } from "./expectations.ts";
import { figuresOfEndpoint } from "./figures.ts";
import { gatlingDifferences } from "./gatling-report.ts";
import {
  importAndRead,
  type ImportAndReadOptions,
  type Imported,
  type ImportedEndpoint,
} from "./import-and-read.ts";
import { mergedDifferences } from "./merged-differences.ts";
import { quantileOf } from "./quantile-of.ts";
import { reportDifferences, type ToolReport } from "./tool-report.ts";
import { userDifferences } from "./user-differences.ts";

/** A file to check, with the expected values. */
export interface SampleFile extends ImportAndReadOptions {
  readonly expectation: Expectation;
  readonly bytes: Uint8Array;
  readonly toolReport: ToolReport | undefined;
  /** Whether the store keeps failures by kind and active users. @default true */
  readonly hasDetails?: boolean;
  /** Whether to check ranges and merges, too. @default true */
  readonly checksMerges?: boolean;
}

/** The quantiles to compare, and the required precision. */
const QUANTILES = [0, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 1];
const QUANTILE_TOLERANCE = 0.01;

/**
 * Imports a file into an empty store. Returns one line for each difference from the expectation, the
 * independent reading and the tool's own report.
 */
export async function checkFile(file: SampleFile): Promise<string[]> {
  const { timeZone = "UTC", startedAtMs, store } = file;
  const imported = await importAndRead(file.bytes, { timeZone, startedAtMs, store });
  const reading = readResults(file.bytes, { timeZone, startedAtMs });
  return [
    ...outcomeDifferences(file.expectation, imported),
    ...readingDifferences(imported, reading),
    ...(imported.outcome.ending === "refused" || file.checksMerges === false
      ? []
      : [
          ...(await mergedDifferences(imported.points, reading)),
          ...(await userDifferences(imported.points, reading?.users ?? [])),
        ]),
    ...toolDifferences(imported, file.toolReport),
    ...(file.hasDetails === false
      ? []
      : [
          ...detailDifferences(imported, reading),
          ...gatlingDifferences(imported, file.toolReport),
        ]),
  ];
}

function outcomeDifferences(expectation: Expectation, { outcome }: Imported): string[] {
  const { recorded, rejected, ending } = expectation;
  const want = JSON.stringify({ recorded, rejected, ending });
  const { refusal = "not refused", ...rest } = outcome;
  const got = JSON.stringify(rest);
  if (got !== want) return [`got ${got} (${refusal}), expected ${want}`];
  const says = expectation.refusal ?? "";
  return refusal.includes(says) ? [] : [`refused with "${refusal}", expected "${says}"`];
}

/** Compares every endpoint in every format, and every percentile. */
export function readingDifferences(
  imported: Imported,
  reading: IndependentReading | undefined,
): string[] {
  const samples = Map.groupBy(reading?.samples ?? [], ({ label }) => label);
  const answers = answersOf(reading?.samples ?? []);
  const got = imported.endpoints.map(({ label }) => label);
  const want = answers.map(({ label }) => label);
  if (!isDeepStrictEqual(got, want)) {
    return [`got the endpoints ${JSON.stringify(got)}, expected ${JSON.stringify(want)}`];
  }
  return answers.flatMap((answer, index) => {
    const endpoint = imported.endpoints[index];
    if (endpoint === undefined) return [];
    return [
      ...answerDifferences(endpoint, answer),
      ...percentileDifferences(endpoint, sortedMicros(samples.get(answer.label) ?? [])),
    ];
  });
}

function answerDifferences(endpoint: ImportedEndpoint, answer: IndependentAnswer): string[] {
  const { label, hash } = answer;
  return METRICS_FORMATS.flatMap((format) => {
    const want = { hash, label, data: answer[format] };
    const got = endpoint.items[format];
    return isDeepStrictEqual(got, want) ? [] : [firstDifference(`${label}, ${format}`, got, want)];
  });
}

function percentileDifferences(endpoint: ImportedEndpoint, sorted: number[]): string[] {
  return QUANTILES.flatMap((q) => {
    const exact = nearestRank(sorted, q);
    const got = quantileOf(endpoint, q);
    const allowed = q === 0 || q === 1 ? 0 : exact * QUANTILE_TOLERANCE;
    if (Object.is(got, exact) || Math.abs(got - exact) <= allowed) return [];
    return [`${endpoint.label}: quantile ${q} is ${got} micros, exactly it is ${exact}`];
  });
}

function toolDifferences(imported: Imported, report: ToolReport | undefined): string[] {
  const { endpoints, outcome } = imported;
  if (outcome.ending === "refused" || report === undefined) return [];
  const figures = endpoints.map((each) => [each.label, figuresOfEndpoint(each)] as const);
  return reportDifferences(report, new Map(figures));
}

/** The first difference between two JSON values, with its context. */
function firstDifference(path: string, got: unknown, want: unknown): string {
  if (isComposite(got) && isComposite(want)) {
    const keys = [...new Set([...Object.keys(want), ...Object.keys(got)])];
    const key = keys.find((each) => !isDeepStrictEqual(got[each], want[each]));
    if (key !== undefined) return firstDifference(`${path}.${key}`, got[key], want[key]);
  }
  return `${path}: got ${JSON.stringify(got)}, expected ${JSON.stringify(want)}`;
}

function isComposite(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
