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

/** Points that are asked for at once: a store that does not read one endpoint at a time holds them. */
const POINTS_AT_ONCE = 500_000;

/** More endpoints than this make a question too long. */
const ENDPOINTS_AT_ONCE_MAX = 2000;

/** Some seconds of an endpoint. */
export interface EndpointPart extends SourceEndpoint {
  readonly points: SumColumns & DistributionColumns;
  readonly failures: Omit<EndpointFailures, "endpoint">;
}

/** Points and failures of these endpoints, in their order, at most so many points in a part. */
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

/** All that is known of one endpoint. */
interface ReadEndpoint {
  readonly role: SourceEndpoint["role"];
  readonly series: EndpointSeries<SumColumns & DistributionColumns>;
  readonly failures: EndpointFailures;
}

/** Reads points and failures of endpoints, in their order. */
export async function* readEndpoints(
  source: SourceReading,
  endpoints: readonly SourceEndpoint[],
): AsyncGenerator<ReadEndpoint> {
  const asked = endpoints.map(({ endpoint }) => endpoint);
  // Few, in most load tests; and so a store has one question to answer at a time.
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

/** Ranges of seconds with at most so many points each, which together are all seconds. */
function* rangesOf(second: Uint32Array, pointsMax: number): Generator<SecondRange> {
  let { from } = ALL_SECONDS;
  for (let point = pointsMax; point < second.length; point += pointsMax) {
    const until = second[point] as number;
    yield { from, until };
    from = until;
  }
  yield { from, until: ALL_SECONDS.until };
}

/** A span as a series of its own, whose buckets are numbered from 0. */
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

/** Parts of a list of endpoints that can be read at once, whatever each of them has. */
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
