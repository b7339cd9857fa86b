import { ANY_FINDINGS, BURST, CAPACITY, QUALITY_FINDING, STEP } from "../api/findings.ts";
import { COMPARISON } from "../api/compare.ts";
import { FAILURES_BY_ENDPOINT } from "../api/failures.ts";
import { MEASURES } from "../api/measures.ts";
import { SUMMARY } from "../api/summary.ts";
import { type TrendJson, TREND } from "../api/trend.ts";
import { UserError } from "../model/errors.ts";
import type { SecondRange } from "../model/second-range.ts";
import type { CompareQuery } from "../analysis/compare/compare-load-tests.ts";
import type { EndpointSelection } from "../series/endpoint-selection.ts";
import type { LoadTestReader, FoundOut } from "../analysis/load-test-reader.ts";
import type { TrendQuery, Trend } from "../analysis/trend/read-trend.ts";
import { type Parameters, checkedId, loadTestPath, withParameters } from "./remote-catalogue.ts";
import { formed, type ServerCalls } from "./server-calls.ts";
import type { QualityRemark } from "../api/parts.ts";
import type { Static } from "../api/schema.ts";
import type { BurstFinding } from "../analysis/findings/read-burst.ts";
import type { StepFinding } from "../analysis/findings/read-step.ts";

const END = "]".charCodeAt(0);

/**
 * Reads analyses from a server: every operation is one request. Throws what `ServerCalls` throws.
 */
export function openRemoteReader(calls: Pick<ServerCalls, "read" | "open">): LoadTestReader {
  return {
    async summarise({ loadTestId, apdexMicros, percents, rows, ...part }) {
      const apdexMs = apdexMicros === undefined ? undefined : apdexMicros / 1000;
      const parameters = { ...selected(part.selection), ...ranged(part.range), apdexMs, ...rows };
      const percent = percents?.join(",");
      return calls.read(
        withParameters(`${loadTestPath(loadTestId)}/Summary`, { ...parameters, percent }),
        SUMMARY,
      );
    },
    async compare(query) {
      const path = `${loadTestPath(query.later.loadTestId)}/Compare`;
      return calls.read(withParameters(path, compared(query)), COMPARISON);
    },
    async trend(query) {
      return trendOf(await calls.read(withParameters("/Api/Trend", trended(query)), TREND));
    },
    async findings({ loadTestId, selection, range }) {
      const parameters = { ...selected(selection), ...ranged(range) };
      const path = withParameters(`${loadTestPath(loadTestId)}/Findings`, parameters);
      return findingsOf(await calls.read(path, ANY_FINDINGS));
    },
    async capacity({ loadTestId, selection, range }) {
      const parameters = { ...selected(selection), ...ranged(range) };
      const path = withParameters(`${loadTestPath(loadTestId)}/Capacity`, parameters);
      return calls.read(path, CAPACITY);
    },
    async failures({ loadTestId, selection, range }) {
      const parameters = { ...selected(selection), ...ranged(range) };
      const path = withParameters(`${loadTestPath(loadTestId)}/Failures`, parameters);
      const endpoints = await calls.read(path, FAILURES_BY_ENDPOINT);
      return endpoints.map(({ errCount: failedRequests, kinds, ...endpoint }) => {
        const counted = kinds.map(({ count, from, until, ...kind }) => {
          return { ...kind, requests: count, from, until };
        });
        return { ...endpoint, failedRequests, kinds: counted };
      });
    },
    async measures({ loadTestId, range, name: measure, endpoint, tags = [] }) {
      const tag = tags.map((each) => each.join(":")).join(",");
      const parameters = { measure, endpoint, ...ranged(range), ...(tag !== "" && { tag }) };
      const path = withParameters(`${loadTestPath(loadTestId)}/Measures`, parameters);
      return calls.read(path, MEASURES);
    },
    async *metrics({ loadTestId, selection, range, resolutionSeconds, format }) {
      const parameters = { loadTestId, ...selected(selection), ...ranged(range), format };
      const path = withParameters("/Api/Metrics", { ...parameters, resolution: resolutionSeconds });
      yield* completeList(await calls.open(path));
    },
    async *exportParquet(loadTestId) {
      const path = `${loadTestPath(loadTestId)}/Export`;
      yield* completeParquet(await calls.open(path, "application/vnd.apache.parquet"));
    },
    async report({ loadTestId, selection, range, address }) {
      const parameters = { ...selected(selection), ...ranged(range), address };
      const path = withParameters(`${loadTestPath(loadTestId)}/Report`, parameters);
      return completeDocument(await calls.open(path, "text/html"));
    },
  };
}

const DOCUMENT_END = "</html>";

/** Reads a complete document. Throws `server-unreachable` if it is truncated. */
async function completeDocument(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of chunks) text += decoder.decode(chunk, { stream: true });
  if (text.trimEnd().endsWith(DOCUMENT_END)) return text;
  throw new UserError("server-unreachable", "the response of the server is truncated");
}

/** A server compares the same endpoints of both load tests, and skips the same ramps. */
function compared({ base, later }: CompareQuery): Parameters {
  const { from: baseFrom, until: baseUntil } = base.range ?? {};
  return {
    base: checkedId(base.loadTestId),
    baseFrom,
    baseUntil,
    ...selected(later.selection),
    ...ranged(later.range),
    skipStart: later.skipStartSeconds,
    skipEnd: later.skipEndSeconds === 0 ? undefined : later.skipEndSeconds,
  };
}

function trended(query: TrendQuery): Parameters {
  const { name, tag, last, since, upTo, selection, skipStartSeconds, skipEndSeconds } = query;
  const ignoreBaseline = query.ignoreBaseline === true ? "true" : undefined;
  const ids = { since: since && checkedId(since), upTo: upTo && checkedId(upTo) };
  const skipped = { skipStart: skipStartSeconds, skipEnd: skipEndSeconds };
  return { name, tag, last, ...ids, ignoreBaseline, ...selected(selection), ...skipped };
}

function selected(selection: EndpointSelection): Parameters {
  switch (selection.by) {
    case "filter":
      return { filter: selection.filter === "" ? undefined : selection.filter };
    case "hash":
      return { hash: selection.hash };
    case "hashes":
      return { hashes: selection.hashes.join(",") };
    default:
      throw new Error(`BUG: no such selection: ${JSON.stringify(selection satisfies never)}`);
  }
}

function ranged(range: SecondRange | undefined): Parameters {
  return { from: range?.from, until: range?.until };
}

/**
 * Yields the chunks of a JSON array. Throws `server-unreachable` after the last one if the end is missing:
 * not every proxy reports a broken connection.
 */
export async function* completeList(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let last: number | undefined;
  for await (const chunk of chunks) {
    if (chunk.length === 0) continue;
    last = chunk.at(-1);
    yield chunk;
  }
  if (last === END) return;
  throw new UserError("server-unreachable", "the response of the server is truncated");
}

const PARQUET_END = Buffer.from("PAR1");

/** Hands on the bytes of a Parquet file. Throws `server-unreachable` after the last one if its end is missing. */
async function* completeParquet(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let end = Buffer.alloc(0);
  for await (const chunk of chunks) {
    end = Buffer.concat([end, chunk.subarray(-PARQUET_END.length)]).subarray(-PARQUET_END.length);
    yield chunk;
  }
  if (end.equals(PARQUET_END)) return;
  throw new UserError("server-unreachable", "the response of the server is truncated");
}

function trendOf({ overall, endpoints, ...others }: TrendJson): Trend {
  return {
    ...others,
    overall: valuesOf(overall),
    endpoints: endpoints.map((endpoint) => ({ ...endpoint, ...valuesOf(endpoint) })),
  };
}

function valuesOf(json: TrendJson["overall"]) {
  return {
    count: knownOf(json.count),
    errRate: knownOf(json.errRate),
    avgLoadTime: knownOf(json.avgLoadTime),
    p50: knownOf(json.p50),
    p95: knownOf(json.p95),
    p99: knownOf(json.p99),
  };
}

function knownOf(values: readonly (number | null)[]): readonly (number | undefined)[] {
  return values.map((value) => value ?? undefined);
}

const WHAT = "the answer of the server to GET Findings";

/** The findings in a response. Skips unknown kinds. Throws `bad-answer`. */
export function findingsOf(answer: Static<typeof ANY_FINDINGS>): FoundOut {
  let [step, burst]: [FoundOut["step"], FoundOut["burst"]] = [undefined, undefined];
  const quality: QualityRemark[] = [];
  for (const [index, found] of answer.entries()) {
    const { kind } = found;
    const where = `[${index}]`;
    if (kind === "step") step = stepOf(formed(STEP, found, WHAT, where));
    if (kind === "burst") burst = burstOf(formed(BURST, found, WHAT, where));
    if (kind === "quality") {
      const { code, message } = formed(QUALITY_FINDING, found, WHAT, where);
      quality.push({ code, message });
    }
  }
  return { step, burst, quality };
}

function stepOf({ at, p95Before, p95After, backAt, endpoints }: Static<typeof STEP>): StepFinding {
  return {
    at,
    beforeMicros: Math.round(p95Before * 1_000_000),
    afterMicros: Math.round(p95After * 1_000_000),
    backAt,
    endpoints,
  };
}

function burstOf({ errCount, allErrCount, failure, ...burst }: Static<typeof BURST>): BurstFinding {
  const { from, until, endpoints } = burst;
  const kind =
    failure === undefined
      ? undefined
      : { code: failure.code, message: failure.message, failures: failure.count };
  return { from, until, failures: errCount, allFailures: allErrCount, kind, endpoints };
}
