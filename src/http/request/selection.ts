import { FACETS_MAX } from "../../model/series/facets.ts";
import { type Outcome, OUTCOMES } from "../../model/outcomes.ts";
import type { SecondRange } from "../../model/columns.ts";
import { type EndpointSelection, ALL_ENDPOINTS } from "../../series/endpoint-selection.ts";
import { CONDITIONS, parseConditions } from "../../series/merge-all-series.ts";
import type { ParameterComplaint } from "../response/http-error.ts";
import {
  integerParameter,
  textParameter,
  type Parameter,
  type ParameterValues,
  pathParameter,
} from "./parameters.ts";
import type { CacheInputs, Route } from "../route.ts";

const SKIPPED = { minimum: 0, maximum: 1_000_000_000, default: 0 };

/** Without the ramps of each load test. */
export const RAMPS: readonly Parameter[] = [
  integerParameter(
    "skipStart",
    "Seconds skipped at the start of each load test, such as its ramp-up.",
    SKIPPED,
  ),
  integerParameter(
    "skipEnd",
    "Seconds skipped at the end of each load test, such as its ramp-down.",
    SKIPPED,
  ),
];

export function rampsOf(values: ParameterValues) {
  return {
    skipStartSeconds: Number(values.get("skipStart") ?? 0),
    skipEndSeconds: Number(values.get("skipEnd") ?? 0),
  };
}

/** The largest second. */
const SECONDS_MAX = 2 ** 32 - 1;

export const LOAD_TEST_IN_PATH: Parameter = pathParameter(
  "id",
  "Identifies the load test.",
  "1848363530240",
);

/** The load test in the path. */
export function idOf(values: ParameterValues): string {
  return values.get("id") ?? "";
}

function loadTestInPath(values: ParameterValues): CacheInputs {
  return { loadTestIds: [idOf(values)] };
}

export const FILTER: Parameter = textParameter(
  "filter",
  "Text that the label contains, case-sensitive; no character has a special meaning.",
  "/checkout",
);

export const HASH: Parameter = {
  name: "hash",
  description: "SHA-1 of the label's UTF-8 bytes, 40 hex digits in either case.",
  schema: { type: "string", minLength: 1, pattern: "^[0-9A-Fa-f]{40}$" },
  form: "40 hex digits",
};

const HASHES_MAX = 1000;

const HASHES: Parameter = {
  name: "hashes",
  description: `The same for several endpoints, at most ${HASHES_MAX}, separated by commas.`,
  schema: { type: "string", minLength: 1, pattern: "^[0-9A-Fa-f]{40}(,[0-9A-Fa-f]{40})*$" },
  form: "values of 40 hex digits, separated by commas",
};

export const WHERE: Parameter = {
  ...textParameter(
    "where",
    "Only requests with these facets: `name:value`, or `name!:value` for all others, separated by commas, or several " +
      "times. Values of one name are alternatives; `(none)` stands for requests without the facet. In a value, a " +
      "backslash goes before a comma or a backslash.",
    "scenario:browse",
  ),
  schema: { type: "string", minLength: 1, pattern: CONDITIONS },
  form: String.raw`name:value, separated by commas, which are \, in a value`,
  isList: true,
};

export const BY: Parameter = {
  ...textParameter(
    "by",
    `Splits each endpoint by the values of these facets, at most ${FACETS_MAX}, separated by commas: labels become ` +
      "`browse › GET /cart`. A `›` in a value has a backslash before it.",
    "scenario",
  ),
  schema: { type: "string", minLength: 1, pattern: `^[^,]+(?:,[^,]+){0,${FACETS_MAX - 1}}$` },
  form: `at most ${FACETS_MAX} names, separated by commas`,
  isList: true,
};

const COUNT: Parameter = {
  name: "count",
  description:
    "`requests` counts requests and only lists transactions and sub-results; `transactions` counts transactions alone.",
  schema: { type: "string", enum: ["requests", "transactions"], default: "requests" },
};

export const FROM: Parameter = {
  ...integerParameter("from", "First UNIX second.", { minimum: 0, maximum: SECONDS_MAX }),
  form: "a UNIX second",
};

export const UNTIL: Parameter = {
  ...FROM,
  name: "until",
  description: "UNIX second after the last one.",
  schema: { type: "integer", minimum: 0, maximum: SECONDS_MAX + 1 },
};

export const RESOLUTION = integerParameter(
  "resolution",
  "Seconds per data point; points start at its multiples.",
  { minimum: 1, maximum: SECONDS_MAX, default: 1 },
);

export function resolutionOf(values: ParameterValues): number {
  return Number(values.get("resolution") ?? 1);
}

export const OUTCOME: Parameter = {
  name: "outcome",
  description:
    "Whether only passed or only failed requests count. Response times of seconds with both are " +
    "unknown if they were not stored apart.",
  schema: { type: "string", enum: ["all", ...OUTCOMES], default: "all" },
};

export function outcomeOf(values: ParameterValues): { readonly outcome?: Outcome } {
  const outcome = OUTCOMES.find((each) => each === values.get("outcome"));
  return outcome === undefined ? {} : { outcome };
}

export function selectionOf(values: ParameterValues): EndpointSelection {
  const [filter, hash, hashes] = ["filter", "hash", "hashes"].map((name) => values.get(name));
  const facets = {
    ...facetsOf(values),
    ...(values.get("count") === "transactions" && ({ count: "transactions" } as const)),
  };
  if (hashes !== undefined) {
    return { by: "hashes", hashes: hashes.toLowerCase().split(","), ...facets };
  }
  if (hash !== undefined) return { by: "hash", hash: hash.toLowerCase(), ...facets };
  return { ...(filter === undefined ? ALL_ENDPOINTS : { by: "filter", filter }), ...facets };
}

function facetsOf(values: ParameterValues): Pick<EndpointSelection, "facets"> {
  const [where, by] = [values.get("where"), values.get("by")];
  if (where === undefined && by === undefined) return {};
  return { facets: { where: parseConditions(where ?? ""), by: by?.split(",") ?? [] } };
}

/** The requested seconds; `undefined` without `from` and `to`. */
export function rangeOf(values: ParameterValues): SecondRange | undefined {
  if (!values.has("from") && !values.has("until")) return undefined;
  return {
    from: Number(values.get("from") ?? 0),
    until: Number(values.get("until") ?? SECONDS_MAX + 1),
  };
}

export const ENDPOINTS: readonly Parameter[] = [FILTER, HASH, HASHES, WHERE, BY, COUNT];

/** Parameters: load test, endpoints, seconds. */
export const SELECTION: readonly Parameter[] = [LOAD_TEST_IN_PATH, ...ENDPOINTS, FROM, UNTIL];

export function selectedBy(values: ParameterValues) {
  return {
    loadTestId: idOf(values),
    selection: selectionOf(values),
    range: rangeOf(values),
  };
}

export function checkSelection(values: ParameterValues): readonly ParameterComplaint[] {
  const complaints: ParameterComplaint[] = [];
  const [first, second] = ["filter", "hash", "hashes"].filter((name) => values.has(name));
  if (first !== undefined && second !== undefined) {
    complaints.push({ parameter: second, detail: `${first} and ${second} exclude each other` });
  }
  const hashes = values.get("hashes")?.split(",").length ?? 0;
  if (hashes > HASHES_MAX) {
    const detail = `hashes: expected at most ${HASHES_MAX} hashes, got ${hashes}`;
    complaints.push({ parameter: "hashes", detail });
  }
  const from = Number(values.get("from") ?? "0");
  const until = Number(values.get("until") ?? "Infinity");
  if (from >= until) {
    complaints.push({ parameter: "until", detail: `until: expected more than from, got ${until}` });
  }
  return complaints;
}

/** Common parts of routes that read a selection of one load test. */
export const SELECTED_ROUTE = {
  method: "GET",
  scope: "read",
  parameters: SELECTION,
  check: checkSelection,
  cacheInputs: loadTestInPath,
  errors: [
    "bad-parameter",
    "unknown-load-test",
    "unknown-facet",
    "too-many-endpoints",
    "sum-too-large",
    "damaged-store",
  ],
} as const satisfies Partial<Route>;

const PERCENTS_MAX = 10;

export const PERCENTS = {
  name: "percent",
  description: `Percentiles, at most ${PERCENTS_MAX}, separated by commas.`,
  schema: {
    type: "string",
    minLength: 1,
    pattern: String.raw`^\d{1,3}(\.\d{1,3})?(,\d{1,3}(\.\d{1,3})?)*$`,
  },
  form: "numbers from 0 to 100, separated by commas",
  example: "50,99.9",
} as const satisfies Parameter;

/** Checks the parameter beyond its pattern. */
export function checkPercents(values: ParameterValues): readonly ParameterComplaint[] {
  const percents = values.get(PERCENTS.name)?.split(",") ?? [];
  const tooLarge = percents.find((percent) => Number(percent) > 100);
  if (tooLarge !== undefined) {
    return [{ parameter: "percent", detail: `percent: expected at most 100, got ${tooLarge}` }];
  }
  if (percents.length <= PERCENTS_MAX) return [];
  const detail = `percent: expected at most ${PERCENTS_MAX} percentiles, got ${percents.length}`;
  return [{ parameter: "percent", detail }];
}
