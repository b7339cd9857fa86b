import { PAIR } from "../../api/parts.ts";
import { list } from "../../api/schema.ts";
import { ALL_SECONDS, type SecondRange } from "../../model/second-range.ts";
import type { UserSeries } from "../../query/read-users.ts";
import { type Route, jsonResponse } from "../route.ts";
import {
  checkSelection,
  FROM,
  LOAD_TEST_IN_PATH,
  loadTestInPath,
  rangeOf,
  UNTIL,
} from "../request/selection.ts";

/** `GET /Api/LoadTests/{id}/Users`. */
export function createUsersRoute(
  readUsers: (query: {
    readonly loadTestId: string;
    readonly range: SecondRange;
  }) => Promise<UserSeries>,
): Route {
  return {
    method: "GET",
    path: "/Api/LoadTests/{id}/Users",
    operationId: "getUsers",
    summary: "Active users of a load test",
    description:
      "Returns the active users over all load generators as pairs of UNIX second and number, " +
      "ascending, where the number changes: a second in between has the number of the pair before.",
    scope: "read",
    parameters: [LOAD_TEST_IN_PATH, FROM, UNTIL],
    check: checkSelection,
    madeOf: loadTestInPath,
    mediaType: "application/json",
    schema: list(PAIR),
    errors: ["bad-parameter", "unknown-load-test", "sum-too-large", "damaged-store"],
    async handle(values) {
      const loadTestId = values.get("id") ?? "";
      const { points } = await readUsers({ loadTestId, range: rangeOf(values) ?? ALL_SECONDS });
      const pairs = points.map(({ second, users }) => [second, users]);
      return jsonResponse(pairs, { isKept: true });
    },
  };
}
