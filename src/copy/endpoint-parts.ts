import type { DistributionColumns, SumColumns } from "../model/data-points.ts";
import { ALL_SECONDS, type SecondRange } from "../model/second-range.ts";
import { spanOf } from "../series/series-span.ts";
import type {
  EndpointFailures,
  EndpointSeries,
  SourceEndpoint,
  SourceReading,
} from "../store/snapshot.ts";
import type { LoadTestSummary } from "../model/load-test.ts";

/** Points per query: some stores hold all of them in memory. */
const POINTS_AT_ONCE = 500_000;

const ENDPOINTS_AT_ONCE_MAX = 2000;

export interface EndpointPart extends SourceEndpoint {
  readonly points: SumColumns & DistributionColumns;
  readonly failures: Omit<EndpointFailures, "endpoint">;
}

/** Yields points and failures of the endpoints in order, with at most so many points per chunk. */
export async function* endpointParts(
  source: SourceReading,
  endpoints: readonly SourceEndpoint[],
  pointsMax: number,
): AsyncGenerator<EndpointPart> {
  for await (const { role, series, failures } of readEndpoints(source, endpoints)) {
    const { endpoint, columns } = series;
    for (const range of rangesOf(columns.second, pointsMax)) {
      const points = fromFirstEntry(spanOf(columns, range));
      yield { endpoint, role, points, failures: failuresIn(failures, range) };
    }
  }
}

interface ReadEndpoint {
  readonly role: SourceEndpoint["role"];
  readonly series: EndpointSeries<SumColumns & DistributionColumns>;
  readonly failures: EndpointFailures;
}

export async function* readEndpoints(
  source: SourceReading,
  endpoints: readonly SourceEndpoint[],
): AsyncGenerator<ReadEndpoint> {
  const asked = endpoints.map(({ endpoint }) => endpoint);
  // Usually few; so that a store answers one query at a time.
  const failures: EndpointFailures[] = [];
  for await (const each of source.failures(asked, ALL_SECONDS)) failures.push(each);
  let place = 0;
  for await (const series of source.read(asked, ALL_SECONDS, "distribution")) {
    const [of, own] = [endpoints[place], failures[place]];
    place += 1;
    if (of === undefined || own === undefined) {
      throw new Error(`BUG: ${asked.length} endpoints were asked for, more were answered`);
    }
    yield { role: of.role, series, failures: own };
  }
}

/** Splits all seconds into ranges with at most so many points each. */
function* rangesOf(second: Uint32Array, pointsMax: number): Generator<SecondRange> {
  let { from } = ALL_SECONDS;
  for (let point = pointsMax; point < second.length; point += pointsMax) {
    const until = second[point] as number;
    yield { from, until };
    from = until;
  }
  yield { from, until: ALL_SECONDS.until };
}

/** Returns a span as a series of its own, with buckets numbered from 0. */
function fromFirstEntry(span: SumColumns & DistributionColumns): SumColumns & DistributionColumns {
  const first = span.bucketsFrom[0] as number;
  return { ...span, bucketsFrom: span.bucketsFrom.map((entry) => entry - first) };
}

function failuresIn(
  { kinds, kind, second, requests }: EndpointFailures,
  { from, until }: SecondRange,
): EndpointPart["failures"] {
  const isWithin = (_: number, row: number): boolean => {
    const at = second[row] as number;
    return at >= from && at < until;
  };
  return {
    kinds,
    kind: kind.filter(isWithin),
    second: second.filter(isWithin),
    requests: requests.filter(isWithin),
  };
}

/** Splits a list of endpoints into chunks that can be read at once. */
export function* endpointChunks(
  endpoints: readonly SourceEndpoint[],
  { from = 0, until = 0 }: Pick<LoadTestSummary, "from" | "until">,
): Generator<readonly SourceEndpoint[]> {
  const most = Math.ceil(POINTS_AT_ONCE / (until - from + 1));
  const size = Math.min(most, ENDPOINTS_AT_ONCE_MAX);
  for (let start = 0; start < endpoints.length; start += size) {
    yield endpoints.slice(start, start + size);
  }
}
