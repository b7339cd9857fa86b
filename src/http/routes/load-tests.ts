import type { Catalogue } from "../../catalogue/catalogue.ts";
import { loadTestJson } from "../../render/load-test-json.ts";
import { flagParameter, type Parameter } from "../request/parameters.ts";
import { JSON_CONTENT_TYPE, jsonResponse, type Route, textResponse } from "../route.ts";
import {
  LOAD_TEST_CHANGES,
  LOAD_TEST_SCHEMA,
  type LoadTestChanges,
  NEW_LOAD_TEST,
  PAGE_SCHEMA,
  SHOWN_LOAD_TEST_SCHEMA,
  TAG_COUNTS,
  type TagCounts,
} from "../../api/load-tests.ts";

/** The load test's id in the path. */
export const ID_PARAMETER: Parameter = {
  name: "id",
  in: "path",
  description: "Identifies the load test.",
  required: true,
  schema: { type: "string", minLength: 1 },
  example: "7530493087449088000",
};

const LIMIT_DEFAULT = 100;

const LIST_PARAMETERS: readonly Parameter[] = [
  {
    name: "search",
    description: "Text that the id, the name, a tag or a format contains; case-insensitive.",
    required: false,
    schema: { type: "string", minLength: 1 },
    example: "checkout",
  },
  {
    name: "tag",
    description: "An exact tag of the load test.",
    required: false,
    schema: { type: "string", minLength: 1 },
    example: "nightly",
  },
  {
    name: "limit",
    description: "Maximum number of load tests in the response.",
    required: false,
    schema: { type: "integer", minimum: 1, maximum: 1000, default: LIMIT_DEFAULT },
  },
  {
    name: "after",
    description: "`next` of the previous page, with the same `search` and `tag`.",
    required: false,
    schema: { type: "string", minLength: 1 },
  },
];

/** Lists, changes and deletes load tests; `basePath` is the prefix of all paths. */
export function createLoadTestRoutes(catalogue: Catalogue, basePath: string): readonly Route[] {
  return [
    createListRoute(catalogue),
    createCreateRoute(catalogue, basePath),
    createShowRoute(catalogue),
    createChangeRoute(catalogue),
    createDeleteRoute(catalogue),
  ];
}

const LIST_PATH = "/Api/LoadTests";

const ITEM_PATH = "/Api/LoadTests/{id}";

function createListRoute(catalogue: Catalogue): Route {
  return {
    method: "GET",
    path: LIST_PATH,
    operationId: "listLoadTests",
    summary: "List load tests, latest start first",
    description:
      "Returns a page of the matching load tests; pass `next` as `after` to get the next page.",
    scope: "read",
    parameters: LIST_PARAMETERS,
    mediaType: "application/json",
    schema: PAGE_SCHEMA,
    errors: ["bad-parameter", "damaged-store"],
    async handle(values) {
      const { loadTests, next } = await catalogue.list({
        search: values.get("search"),
        tag: values.get("tag"),
        after: values.get("after"),
        limit: Number(values.get("limit") ?? LIMIT_DEFAULT),
      });
      return jsonResponse(
        { loadTests: loadTests.map(loadTestJson), next: next ?? null },
        { isCacheable: true },
      );
    },
  };
}

function createCreateRoute(catalogue: Catalogue, basePath: string): Route {
  return {
    method: "POST",
    path: LIST_PATH,
    operationId: "createLoadTest",
    summary: "Create a load test",
    description: "Creates an empty load test. The header `Location` is its URL.",
    scope: "write",
    parameters: [],
    body: { kind: "members", schema: NEW_LOAD_TEST, isOptional: true },
    mediaType: "application/json",
    schema: LOAD_TEST_SCHEMA,
    statuses: [201],
    errors: [
      "bad-parameter",
      "bad-load-test-id",
      "load-test-exists",
      "storage-full",
      "store-read-only",
    ],
    async handle(_, { members }) {
      const loadTest = await catalogue.create(members);
      const headers = { Location: `${basePath}${LIST_PATH}/${loadTest.id}` };
      return jsonResponse(loadTestJson(loadTest), {
        isCacheable: false,
        status: 201,
        headers,
        targets: [loadTest.id],
      });
    },
  };
}

function createShowRoute(catalogue: Catalogue): Route {
  return {
    method: "GET",
    path: ITEM_PATH,
    operationId: "getLoadTest",
    summary: "Get a load test and its sources",
    description: "Returns a load test and the files imported into it.",
    scope: "read",
    parameters: [ID_PARAMETER],
    mediaType: "application/json",
    schema: SHOWN_LOAD_TEST_SCHEMA,
    errors: ["unknown-load-test", "damaged-store"],
    async handle(values) {
      const { loadTest, sources, quality } = await catalogue.show(idOf(values));
      const files = sources.map(({ name, format, sizeBytes, digest }) => {
        return { name, format, sizeBytes, digest };
      });
      return jsonResponse(
        { ...loadTestJson(loadTest), sources: files, quality },
        { isCacheable: true },
      );
    },
  };
}

function createChangeRoute(catalogue: Catalogue): Route {
  return {
    method: "PATCH",
    path: ITEM_PATH,
    operationId: "changeLoadTest",
    summary: "Rename, tag, pin or finish a load test",
    description: "Changes the given members. The id cannot be changed.",
    scope: "write",
    parameters: [ID_PARAMETER],
    body: { kind: "members", schema: LOAD_TEST_CHANGES, isOptional: false },
    mediaType: "application/json",
    schema: LOAD_TEST_SCHEMA,
    errors: ["bad-parameter", "unknown-load-test", "storage-full", "store-read-only"],
    async handle(values, { members }) {
      const { addTags, removeTags, ...others } = members as LoadTestChanges;
      const request = { ...others, addedTags: addTags, removedTags: removeTags };
      return jsonResponse(loadTestJson(await catalogue.change(idOf(values), request)), {
        isCacheable: false,
      });
    },
  };
}

function createDeleteRoute(catalogue: Catalogue): Route {
  return {
    method: "DELETE",
    path: ITEM_PATH,
    operationId: "deleteLoadTest",
    summary: "Delete a load test",
    description: "Deletes a load test and all its data. This cannot be undone.",
    scope: "write",
    parameters: [
      ID_PARAMETER,
      flagParameter("unused", "Delete it only if it has no sources, staged ones included."),
    ],
    mediaType: "application/json",
    schema: {},
    statuses: [204],
    errors: ["bad-parameter", "unknown-load-test", "storage-full", "store-read-only"],
    async handle(values) {
      if (values.get("unused") === "true") await catalogue.deleteUnused(idOf(values));
      else await catalogue.delete(idOf(values));
      return textResponse("", { contentType: JSON_CONTENT_TYPE, isCacheable: false, status: 204 });
    },
  };
}

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

function idOf(values: ReadonlyMap<string, string>): string {
  return values.get("id") ?? "";
}
