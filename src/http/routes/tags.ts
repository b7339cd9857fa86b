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
    summary: "Count load tests and their tags",
    description:
      "Counts the load tests that match `search`, as in the list, in total and per tag, most " +
      "frequent tag first.",
    scope: "read",
    parameters: [
      {
        name: "search",
        description: "Text that the id, the name, a tag or a format contains; case-insensitive.",
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
