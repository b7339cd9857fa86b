import { READ_MAX, type TestsQuery } from "../../analysis/tests/read-tests.ts";
import { DIGESTS_MAX } from "../../analysis/tests/read-digests.ts";
import { type Digests, DIGESTS, type Tests, TESTS } from "../../api/tests.ts";
import { integerParameter, type ParameterValues, textParameter } from "../request/parameters.ts";
import { jsonResponse, type Route } from "../route.ts";

const LIMIT_DEFAULT = 100;

export function createTestsRoute(readTests: (query: TestsQuery) => Promise<Tests>): Route {
  return {
    method: "GET",
    path: "/Api/Tests",
    operationId: "listTests",
    summary: "List tests: load tests by name",
    description:
      `Returns the tests that the latest ${READ_MAX} load tests belong to by their name, latest run first, each with the figures of its ` +
      "last 20 runs and the last change that is still there. What takes longer than a moment is `pending` in the response, and known later.",
    scope: "read",
    parameters: [
      textParameter("search", "Text that the name contains; case-insensitive.", "checkout"),
      integerParameter("limit", "Maximum number of tests.", {
        minimum: 1,
        maximum: 1000,
        default: LIMIT_DEFAULT,
      }),
    ],
    schema: TESTS,
    errors: ["bad-parameter", "sum-too-large", "damaged-store"],
    async handle(values) {
      const limit = Number(values.get("limit") ?? LIMIT_DEFAULT);
      const tests = await readTests({ search: values.get("search"), limit });
      return jsonResponse(tests, { isCacheable: true });
    },
  };
}

export function createDigestsRoute(
  readDigests: (ids: readonly string[]) => Promise<Digests>,
): Route {
  return {
    method: "GET",
    path: "/Api/Digests",
    operationId: "listDigests",
    summary: "Show load tests at a glance: p95, and requests over time",
    description:
      `Returns what a list shows of up to ${DIGESTS_MAX} load tests beyond their attributes: 95th percentile, and requests and failures in at most ` +
      "65 points. Unknown load tests are left out.",
    scope: "read",
    parameters: [
      {
        ...textParameter("runs", "Ids of load tests, separated by commas.", "41,42"),
        required: true,
        isList: true,
      },
    ],
    check(values) {
      const given = idsIn(values).length;
      const detail = `runs: expected at most ${DIGESTS_MAX} ids, got ${given}`;
      return given > DIGESTS_MAX ? [{ parameter: "runs", detail }] : [];
    },
    schema: DIGESTS,
    errors: ["bad-parameter", "sum-too-large", "damaged-store"],
    async handle(values) {
      return jsonResponse(await readDigests(idsIn(values)), { isCacheable: true });
    },
  };
}

function idsIn(values: ParameterValues): readonly string[] {
  return [...new Set(values.get("runs")?.split(","))];
}
