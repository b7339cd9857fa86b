import { z } from "zod";
import {
  LOAD_TEST,
  PART,
  queryOf,
  RAMPS,
  limit,
  SELECTION,
  selectionOf,
  shortened,
  text,
  whole,
} from "../part.ts";
import { openApiReader, selected } from "../../analysis/api-reader.ts";
import { RUNS_MAX } from "../../analysis/compare/select-runs.ts";
import { toolOf } from "../tool.ts";

const ORDERS = ["p95", "count", "errCount"] as const;

export const summarise = toolOf({
  name: "summarise_load_test",
  title: "Summarise a load test",
  description:
    "Counts, error rates, response times (average, percentiles; in seconds) and throughput, " +
    "overall and by endpoint. Endpoints are sorted by `orderBy`, largest first; `notShown` is " +
    "the number of further ones. An endpoint with a `role` repeats requests of others and is not " +
    "in `overall`. Unknown figures are null; `quality` lists limitations of the data. `checks` are those of " +
    "k6, the least passed first.",
  input: {
    id: LOAD_TEST,
    ...PART,
    ...RAMPS,
    orderBy: z.enum(ORDERS).default("p95"),
    limit: limit(30, 500),
  },
  async answer({ orderBy, limit: max, ...part }, open) {
    await using api = await open();
    const reader = openApiReader(api);
    const query = await queryOf(reader, part);
    const rows = { limit: max, sort: orderBy, order: "descending" } as const;
    const asked = await reader.summarise({ ...query, apdexMicros: undefined, rows });
    const { endpoints, checks, endpointCount: _, ...others } = asked;
    const { matchingCount = endpoints.length, ...summary } = others;
    const shown = endpoints.slice(0, max);
    return {
      ...summary,
      // Labels are enough to name endpoints, and hashes cost a model many tokens.
      endpoints: shown.map(({ hash: _hash, ...endpoint }) => endpoint),
      notShown: matchingCount - shown.length,
      ...(checks && {
        checks: checks.slice(0, max),
        checksNotShown: Math.max(0, checks.length - max),
      }),
    };
  },
});

export const compare = toolOf({
  name: "compare_load_tests",
  title: "Compare two load tests",
  description:
    "Compares a later load test (`id`) with an earlier one (`base`), endpoint by endpoint, worst " +
    "first. `verdict` is slower or faster (by 5 % or more, beyond noise), unchanged (a shift of " +
    "5 % is ruled out), inconclusive (neither), tooFew (requests), tooShort (in time), new or " +
    "gone. Times are in seconds; `change` is relative for times (0.1: 10 % slower) and a " +
    "difference for error rates; `low` and `high` are its confidence limits. `quality` lists " +
    "limitations of the figures of each side. `noise` says whether earlier runs show how much runs " +
    "differ without a change (`between`) or not (`within`); `betweenRuns` has that spread. `measures`, such as CPU, " +
    "checks and metrics of the script, are worse, better, changed (which direction is worse is not known), " +
    "unchanged, inconclusive (`reason`), new or gone.",
  input: {
    base: LOAD_TEST.describe("id of the earlier load test"),
    id: LOAD_TEST.describe("id of the later load test"),
    ...SELECTION,
    ...RAMPS,
    limit: limit(20, 200),
  },
  async answer({ base, id, limit: max, ...part }, open) {
    const { skipStartSeconds, skipEndSeconds } = part;
    const steady = { range: undefined, skipStartSeconds, skipEndSeconds };
    const both = { selection: selectionOf(part), ...steady };
    await using api = await open();
    const { endpoints, measures, ...comparison } = await openApiReader(api).compare({
      base: { ...both, loadTestId: base },
      later: { ...both, loadTestId: id },
    });
    const { shown, notShown } = shortened(endpoints, max);
    const rows = shown.map(({ hash: _hash, ...endpoint }) => endpoint);
    const ofMeasures = measures && {
      measures: measures.slice(0, max),
      measuresNotShown: Math.max(0, measures.length - max),
    };
    return { ...comparison, endpoints: rows, notShown, ...ofMeasures };
  },
});

const STATISTICS = ["avgLoadTime", "p50", "p95", "p99", "errRate"] as const;

export const compareSeveral = toolOf({
  name: "compare_several",
  title: "Compare several load tests",
  description:
    "Compares 2 to 20 load tests with one of them, the base, as compare_load_tests does: `endpoints` are worst first, with a cell for " +
    "each of `loadTests`, in their order, of one statistic. Give `ids`, or the `name` of runs. `isSignificant`: beyond noise.",
  input: {
    ids: z.array(z.string().min(1)).max(RUNS_MAX).optional().describe("ids, the base first"),
    name: text("instead of ids: exact name of the runs"),
    last: whole(1, RUNS_MAX, "how many of the latest runs of the name").optional(),
    per: text("only the latest run of the name for each value of this property: version"),
    base: text("id of the base, if it is not the default"),
    statistic: z.enum(STATISTICS).default("p95"),
    ...SELECTION,
    ...RAMPS,
    limit: limit(20, 200),
  },
  async answer({ ids, name, last, per, base, statistic, limit: max, ...part }, open) {
    await using api = await open();
    const { endpoints, overall, leftOut, ...compared } = await api.ask("compareRuns", {
      ...selected(selectionOf(part)),
      skipStart: part.skipStartSeconds,
      skipEnd: part.skipEndSeconds,
      runs: ids?.join(","),
      name,
      last,
      per,
      base,
      limit: max,
    });
    const cellsOf = (cells: typeof overall) =>
      cells.map(({ count, verdict, [statistic]: figure }) => ({ count, verdict, ...figure }));
    return {
      ...compared,
      overall: cellsOf(overall),
      endpoints: endpoints.map(({ label, role, cells }) => ({
        label,
        role,
        cells: cellsOf(cells),
      })),
      notShown: leftOut.endpoints,
      runsOfTheNameNotShown: leftOut.loadTests,
    };
  },
});
