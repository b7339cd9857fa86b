import { TAG_COUNTS, type TagCounts } from "../../api/load-tests.ts";
import { type Route, jsonResponse } from "../route.ts";

/** `GET /Api/Tags`. */
export function createTagsRoute(
  countTags: (search: string | undefined) => Promise<TagCounts>,
): Route {
  return {
    method: "GET",
    path: "/Api/Tags",
    operationId: "countTags",
    summary: "How many load tests there are, and with which tags",
    description:
      "Counts the load tests that are looked for, as the list takes `search`, and how many of them " +
      "have each tag: the most frequent first.",
    scope: "read",
    parameters: [
      {
        name: "search",
        description:
          "Text that the id, the name, a tag or a format contains; letter case does not matter.",
        required: false,
        schema: { type: "string", minLength: 1 },
        example: "checkout",
      },
    ],
    mediaType: "application/json",
    schema: TAG_COUNTS,
    errors: ["bad-parameter", "damaged-store"],
    async handle(values) {
      return jsonResponse(await countTags(values.get("search")), { isCacheable: true });
    },
  };
}
