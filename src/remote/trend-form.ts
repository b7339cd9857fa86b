import type { Trend, TrendChange, TrendLoadTest } from "../analysis/trend/read-trend.ts";
import { TREND_FIGURES, type TrendFigure } from "../analysis/trend/trend-figures.ts";
import {
  type Form,
  list,
  type MemberForms,
  members,
  number,
  oneOf,
  optional,
  orNull,
  second,
  text,
} from "./answer-form.ts";
import { ENDPOINT_WITH_ROLE, type EndpointWithRole, QUALITY } from "./measured-forms.ts";

/** As an answer has them: `null` where a load test has no request. */
type ValuesJson = Readonly<Record<TrendFigure, readonly (number | null)[]>>;

const LIST = list(orNull(number));

const VALUES: MemberForms<ValuesJson> = {
  count: LIST,
  errRate: LIST,
  avgLoadTime: LIST,
  p50: LIST,
  p95: LIST,
  p99: LIST,
};

interface TrendJson extends Omit<Trend, "overall" | "endpoints"> {
  readonly overall: ValuesJson;
  readonly endpoints: readonly (EndpointWithRole & ValuesJson)[];
}

/** Of `GET /Api/Trend`. */
export const TREND: Form<TrendJson> = members<TrendJson>({
  loadTests: list(
    members<TrendLoadTest>({ id: text, name: text, startedAt: second, quality: QUALITY }),
  ),
  since: optional(text),
  baseline: optional(text),
  leftOut: members<Trend["leftOut"]>({ loadTests: number, endpoints: number }),
  changes: list(
    members<TrendChange>({
      loadTestId: text,
      label: optional(text),
      hash: optional(text),
      figure: oneOf(TREND_FIGURES),
      loadTestsBefore: number,
      loadTestsAfter: number,
      before: number,
      after: number,
      change: optional(number),
      chance: number,
    }),
  ),
  overall: members<ValuesJson>(VALUES),
  endpoints: list(members<EndpointWithRole & ValuesJson>({ ...ENDPOINT_WITH_ROLE, ...VALUES })),
});

/** The trend that an answer tells. */
export function trendOf({ overall, endpoints, ...others }: TrendJson): Trend {
  return {
    ...others,
    overall: valuesOf(overall),
    endpoints: endpoints.map((endpoint) => ({ ...endpoint, ...valuesOf(endpoint) })),
  };
}

function valuesOf(json: ValuesJson) {
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
