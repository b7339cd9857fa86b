import { addExactly } from "../../model/exact.ts";
import { ALL_REQUESTS } from "../labels/label-template.ts";
import type { ArtilleryNames, ArtillerySummary, EndpointCounter } from "./artillery-summary.ts";

export interface ArtilleryPeriod {
  /** Start of the window in ms since the epoch (Artillery 2). */
  readonly start: string | undefined;
  /** ISO 8601 time of the report, about the end of the window (Artillery 1). */
  readonly reportedAt: string | undefined;
  /** Active users at the time of the report (Artillery 1). */
  readonly concurrency: number | undefined;
  readonly counters: ReadonlyMap<string, number>;
  readonly summaries: ReadonlyMap<string, ArtillerySummary>;
  /** Single response times (Artillery 1). */
  readonly latenciesNanos: readonly number[];
}

export interface EndpointWindow {
  readonly name: string;
  readonly codes: ReadonlyMap<string, number>;
  /** Requests without a response, by error. */
  readonly errors: ReadonlyMap<string, number>;
  readonly summary: ArtillerySummary | undefined;
}

export const ALL_TIMES = "http.response_time";

/** Label of the requests of Playwright's pages, which have a code and no response time. */
const BROWSER_REQUESTS = "Browser requests";
const CODE_OF_ALL = /^http\.codes\.(\d+)$/;
const CODE_OF_PAGE = /^browser\.page\.codes\.(\d+)$/;
/** Of reports that count HTTP requests. */
const HTTP = /^http\.(?:requests$|codes\.)/;
/** Errors of requests have a code, such as ECONNRESET. Other errors are sentences, and their request may have a response. */
const ERROR_OF_ALL = /^errors\.([A-Z][A-Z0-9_]*)$/;
const ERRORS = "errors.";

/** Whether a counter has requests by code or, in a report of HTTP requests, by error. */
export function isOfRequests(counter: string, hasHttp: boolean): boolean {
  const isError = hasHttp && counter.startsWith(ERRORS);
  return isError || CODE_OF_ALL.test(counter) || CODE_OF_PAGE.test(counter);
}

/** Whether HTTP requests are counted: only then an error may be one. */
export function countsHttp({ reportedAt, counters }: ArtilleryPeriod): boolean {
  return reportedAt !== undefined || counters.keys().some((counter) => HTTP.test(counter));
}

/** Statistics of a window by endpoint, in the order of its counters. */
export function endpointsOf(period: ArtilleryPeriod, names: ArtilleryNames): EndpointWindow[] {
  const found = new Map<string, { codes: Map<string, number>; errors: Map<string, number> }>();
  const hasHttp = countsHttp(period);
  for (const [key, requests] of period.counters) {
    const ofHttp = names.hasEndpoints ? names.counter(key) : counterOfAll(key, hasHttp);
    const counter = ofHttp ?? counterOfPages(key);
    if (counter === undefined || requests === 0) continue;
    const { name, code, error } = counter;
    const endpoint = found.get(name) ?? { codes: new Map(), errors: new Map() };
    found.set(name, endpoint);
    if (code === "") endpoint.errors.set(error, requests);
    else endpoint.codes.set(code, requests);
  }
  return [...found].map(([name, { codes, errors }]) => ({
    name,
    codes,
    errors,
    summary: summaryOf(period.summaries, keysOfTimes(name, names)),
  }));
}

export function keysOfTimes(name: string, names: ArtilleryNames | undefined): readonly string[] {
  if (names?.hasEndpoints === true) return names.summaryKeys(name);
  return name === BROWSER_REQUESTS ? [] : [ALL_TIMES];
}

/** The response times under the first of these keys that exists. */
export function summaryOf(
  summaries: ReadonlyMap<string, ArtillerySummary>,
  keys: readonly string[],
): ArtillerySummary | undefined {
  const key = keys.find((each) => summaries.has(each));
  return key === undefined ? undefined : summaries.get(key);
}

/** Responses that belong to no endpoint, and errors that belong to no request. */
export function leftOver(
  { counters }: ArtilleryPeriod,
  endpoints: readonly EndpointWindow[],
): { readonly responses: number; readonly errors: ReadonlyMap<string, number> } {
  let responses = 0;
  const errors = new Map<string, number>();
  for (const [key, count] of counters) {
    if (CODE_OF_ALL.test(key) || CODE_OF_PAGE.test(key)) responses += count;
    else if (key.startsWith(ERRORS)) errors.set(key.slice(ERRORS.length), count);
  }
  for (const endpoint of endpoints) {
    responses -= sumOf(endpoint.codes);
    for (const [error, count] of endpoint.errors) {
      errors.set(error, (errors.get(error) ?? 0) - count);
    }
  }
  return { responses, errors };
}

/** Throws `sum-too-large`. */
export function sumOf(counts: ReadonlyMap<string, number>): number {
  return counts.values().reduce(addExactly, 0);
}

function counterOfPages(key: string): EndpointCounter | undefined {
  const code = CODE_OF_PAGE.exec(key)?.[1];
  return code === undefined ? undefined : { name: BROWSER_REQUESTS, code, error: "" };
}

function counterOfAll(key: string, hasHttp: boolean): EndpointCounter | undefined {
  const code = CODE_OF_ALL.exec(key)?.[1];
  if (code !== undefined) return { name: ALL_REQUESTS, code, error: "" };
  const error = hasHttp ? ERROR_OF_ALL.exec(key)?.[1] : undefined;
  return error === undefined ? undefined : { name: ALL_REQUESTS, code: "", error };
}
