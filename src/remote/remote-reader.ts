import { ANY_FINDINGS, BURST, CAPACITY, QUALITY_FINDING, STEP } from "../api/findings.ts";
import { COMPARISON } from "../api/compare.ts";
import { FAILURES_BY_ENDPOINT } from "../api/failures.ts";
import { MEASURES } from "../api/measures.ts";
import { SUMMARY } from "../api/summary.ts";
import { TREND } from "../api/trend.ts";
import { UserError } from "../model/errors.ts";
import type { SecondRange } from "../model/second-range.ts";
import type { CompareQuery } from "../analysis/compare/compare-load-tests.ts";
import {
  type EndpointSelection,
  isEverything,
  type SelectedPart,
} from "../series/endpoint-selection.ts";
import type { Findings } from "../analysis/findings/read-findings.ts";
import type { LoadTestReader } from "../analysis/load-test-reader.ts";
import type { TrendQuery } from "../analysis/trend/read-trend.ts";
import { type Parameters, checkedId, loadTestPath, withParameters } from "./remote-catalogue.ts";
import { formed, type ServerCalls } from "./server-calls.ts";
import type { QualityRemark } from "../api/parts.ts";
import type { Static } from "../api/schema.ts";

/** Reads analyses from a server: every operation is one request. Throws what `ServerCalls` throws. */
export function openRemoteReader(calls: Pick<ServerCalls, "read" | "open">): LoadTestReader {
  return {
    async summarise({ apdexMicros, percents, rows, ...part }) {
      const apdexMs = apdexMicros === undefined ? undefined : apdexMicros / 1000;
      return calls.read(
        pathOf("Summary", part, { apdexMs, ...rows, percent: percents?.join(",") }),
        SUMMARY,
      );
    },
    compare: async ({ base, later, ...others }) =>
      calls.read(pathOf("Compare", later, compared({ base, later, ...others })), COMPARISON),
    trend: async (query) => calls.read(withParameters("/Api/Trend", trended(query)), TREND),
    findings: async (part) => findingsOf(await calls.read(pathOf("Findings", part), ANY_FINDINGS)),
    capacity: async (part) => calls.read(pathOf("Capacity", part), CAPACITY),
    failures: async (part) => calls.read(pathOf("Failures", part), FAILURES_BY_ENDPOINT),
    async measures({ loadTestId, range, name: measure, endpoint, tags = [] }) {
      const tag = tags.map((each) => each.join(":")).join(",") || undefined;
      return calls.read(
        pathOf("Measures", { loadTestId, range }, { measure, endpoint, tag }),
        MEASURES,
      );
    },
    async *metrics({ loadTestId, selection, range, resolutionSeconds: resolution, format }) {
      const all = isEverything(selection) ? "true" : undefined;
      const parameters = { loadTestId, ...selected(selection), all, ...ranged(range), format };
      const path = withParameters("/Api/Metrics", { ...parameters, resolution });
      yield* complete(await calls.open(path), "]");
    },
    async *exportParquet(loadTestId) {
      const path = `${loadTestPath(loadTestId)}/Export`;
      yield* complete(await calls.open(path, "application/vnd.apache.parquet"), "PAR1");
    },
    async report({ address, ...part }) {
      const chunks = await calls.open(pathOf("Report", part, { address }), "text/html");
      return Buffer.concat(await Array.fromAsync(complete(chunks, "</html>"))).toString();
    },
  };
}

/** `part` selects all endpoints if it has no selection. */
function pathOf(
  resource: string,
  { loadTestId, selection, range }: Omit<SelectedPart, "selection"> & Partial<SelectedPart>,
  others: Parameters = {},
): string {
  const selecting = selection === undefined ? {} : selected(selection);
  const parameters = { ...selecting, ...ranged(range), ...others };
  return withParameters(`${loadTestPath(loadTestId)}/${resource}`, parameters);
}

/** A server compares the same endpoints of both load tests, and skips the same ramps. */
function compared({ base, later }: CompareQuery): Parameters {
  const { from: baseFrom, until: baseUntil } = base.range ?? {};
  return {
    base: checkedId(base.loadTestId),
    baseFrom,
    baseUntil,
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
  if (selection.by === "hash") return { hash: selection.hash };
  if (selection.by === "hashes") return { hashes: selection.hashes.join(",") };
  return { filter: selection.filter === "" ? undefined : selection.filter };
}

function ranged(range: SecondRange | undefined): Parameters {
  return { from: range?.from, until: range?.until };
}

/**
 * Yields the chunks of a response that ends with `end` and perhaps blanks. Throws `server-unreachable` after the last one if that
 * is missing: not every proxy reports a broken connection.
 */
export async function* complete(
  chunks: AsyncIterable<Uint8Array>,
  end: string,
): AsyncGenerator<Uint8Array> {
  let last = Buffer.alloc(0);
  for await (const chunk of chunks) {
    last = Buffer.concat([last, chunk.subarray(-END_BYTES)]).subarray(-END_BYTES);
    yield chunk;
  }
  if (last.toString("latin1").trimEnd().endsWith(end)) return;
  throw new UserError("server-unreachable", "the response of the server is truncated");
}

/** Bytes to remember of the end of a response. */
const END_BYTES = 32;

const WHAT = "the answer of the server to GET Findings";

/** The findings in a response. Skips unknown kinds. Throws `bad-answer`. */
export function findingsOf(answer: Static<typeof ANY_FINDINGS>): Findings {
  let [step, burst]: [Findings["step"], Findings["burst"]] = [undefined, undefined];
  const quality: QualityRemark[] = [];
  for (const [index, found] of answer.entries()) {
    const { kind } = found;
    const where = `[${index}]`;
    if (kind === "step") step = formed(STEP, found, WHAT, where);
    if (kind === "burst") burst = formed(BURST, found, WHAT, where);
    if (kind === "quality") {
      const { code, message } = formed(QUALITY_FINDING, found, WHAT, where);
      quality.push({ code, message });
    }
  }
  return { step, burst, quality };
}
