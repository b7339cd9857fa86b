import { PAIR } from "../../api/parts.ts";
import { list } from "../../api/schema.ts";
import { ALL_SECONDS, type SecondRange } from "../../model/columns.ts";
import type { UserPoint } from "../../query/read-users.ts";
import { type Route, jsonResponse } from "../route.ts";
import {
  BY,
  FROM,
  idOf,
  LOAD_TEST_IN_PATH,
  rangeOf,
  SELECTED_ROUTE,
  UNTIL,
  WHERE,
} from "../request/selection.ts";

/** Refused: the users of all would be taken for those of a facet. */
const NOT_BY_FACET = [WHERE, BY].map((parameter) => ({
  ...parameter,
  description: "Refused, as users are not stored by facet.",
}));

export function createUsersRoute(
  readUsers: (query: {
    readonly loadTestId: string;
    readonly range: SecondRange;
  }) => Promise<readonly UserPoint[]>,
): Route {
  return {
    ...SELECTED_ROUTE,
    path: "/Api/LoadTests/{id}/Users",
    operationId: "getUsers",
    summary: "Active users of a load test",
    description:
      "Returns the active users of all load generators as pairs of UNIX second and number, " +
      "ascending, one pair per change: until the next pair, the number stays the same.",
    parameters: [LOAD_TEST_IN_PATH, FROM, UNTIL, ...NOT_BY_FACET],
    check: (values) => [
      ...SELECTED_ROUTE.check(values),
      ...NOT_BY_FACET.filter(({ name }) => values.has(name)).map(({ name }) => ({
        parameter: name,
        detail: `${name}: users are not stored by facet, leave it out`,
      })),
    ],
    schema: list(PAIR),
    async handle(values) {
      const range = rangeOf(values) ?? ALL_SECONDS;
      const points = await readUsers({ loadTestId: idOf(values), range });
      const pairs = points.map(({ second, users }) => [second, users]);
      return jsonResponse(pairs, { isCacheable: true });
    },
  };
}
