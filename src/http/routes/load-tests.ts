import type { Catalogue } from "../../catalogue/catalogue.ts";
import { loadTestJson, sourcesJson } from "../../render/load-test-json.ts";
import { idOf, LOAD_TEST_IN_PATH } from "../request/selection.ts";
import {
  integerParameter,
  textParameter,
  flagParameter,
  type Parameter,
  type ParameterValues,
} from "../request/parameters.ts";
import { NO_CONTENT, jsonResponse, type Route, STORE_ERRORS } from "../route.ts";
import {
  LISTED_IN_CSV,
  LOAD_TEST_CHANGES,
  LOAD_TEST_SCHEMA,
  NEW_LOAD_TEST,
  PAGE_SCHEMA,
  SHOWN_LOAD_TEST_SCHEMA,
  TAG_COUNTS,
  type TagCounts,
} from "../../api/load-tests.ts";

const LIMIT_DEFAULT = 100;

const SEARCH = textParameter(
  "search",
  "Terms that all match, ignoring case: a word or a quoted text that the id, the name, a tag, the environment, a format, the description or " +
    "a property contains; `id:`, `name:`, `tag:`, `env:`, `tool:` or the key of a property and what that contains; `failed:yes` (its " +
    "thresholds) and `pinned:yes`; `p50`, `p95`, `p99`, `average`, `duration`, `errors` or `requests` with a limit, such as `p95>500ms`, `errors>1%`.",
  "checkout env:staging p95>500ms",
);

/** Most runs in one request. */
const RUNS_MAX = 1000;

const LIST_PARAMETERS: readonly Parameter[] = [
  SEARCH,
  {
    ...textParameter(
      "runs",
      `Replaces the other parameters: ids of up to ${RUNS_MAX} load tests, separated by commas. Unknown ids are left out.`,
      "41,42",
    ),
    isList: true,
  },
  textParameter("tag", "An exact tag of the load test.", "nightly"),
  integerParameter("limit", "Maximum number of load tests in the response.", {
    minimum: 1,
    maximum: 1000,
    default: LIMIT_DEFAULT,
  }),
  textParameter("after", "`next` of the previous page, with the same `search` and `tag`."),
];

const LIST_PATH = "/Api/LoadTests";
const ITEM_PATH = "/Api/LoadTests/{id}";

/** Lists, changes and deletes load tests; `basePath` is the prefix of all paths. */
/** Throws `unknown-load-test`. */
export async function showLoadTest(catalogue: Catalogue, id: string) {
  const { loadTest, sources, quality } = await catalogue.show(id);
  return { ...loadTestJson(loadTest), sources: sourcesJson(sources), quality };
}

export function createLoadTestRoutes(catalogue: Catalogue, basePath: string): readonly Route[] {
  return [
    {
      method: "GET",
      path: LIST_PATH,
      operationId: "listLoadTests",
      summary: "List load tests, latest start first",
      description:
        "Returns a page of the matching load tests; pass `next` as `after` to get the next page.",
      scope: "read",
      parameters: LIST_PARAMETERS,
      check(values) {
        const given = idsIn(values)?.length ?? 0;
        const detail = `runs: expected at most ${RUNS_MAX} ids, got ${given}`;
        return given > RUNS_MAX ? [{ parameter: "runs", detail }] : [];
      },
      schema: PAGE_SCHEMA,
      csv: { item: LISTED_IN_CSV },
      errors: ["bad-parameter", "damaged-store"],
      async handle(values) {
        const pageAfter = async (after: string | undefined) => {
          const { loadTests, next, unknown } = await catalogue.list({
            ids: idsIn(values),
            search: values.get("search"),
            tag: values.get("tag"),
            after,
            limit: Number(values.get("limit") ?? LIMIT_DEFAULT),
          });
          const shown = { loadTests: loadTests.map(loadTestJson), next: next ?? null };
          return unknown === 0 ? shown : { ...shown, unknown };
        };
        const page = await pageAfter(values.get("after"));
        // CSV has no place for `next`: without a limit, it has all pages.
        const items = async function* () {
          for (let each = page; ; each = await pageAfter(each.next)) {
            const figures = await catalogue.figures(each.loadTests.map(({ id }) => id));
            for (const loadTest of each.loadTests) {
              yield { ...loadTest, ...figures.get(loadTest.id) };
            }
            if (each.next === null || values.has("limit")) return;
          }
        };
        return { ...jsonResponse(page, { isCacheable: true }), items };
      },
    },
    {
      method: "POST",
      path: LIST_PATH,
      operationId: "createLoadTest",
      summary: "Create a load test",
      description: "Creates an empty load test. The header `Location` is its URL.",
      scope: "write",
      body: { kind: "members", schema: NEW_LOAD_TEST, isOptional: true },
      schema: LOAD_TEST_SCHEMA,
      statuses: [201],
      errors: ["bad-parameter", "bad-load-test-id", "load-test-exists", ...STORE_ERRORS],
      async handle(_, { members }) {
        const loadTest = await catalogue.create(members);
        const headers = { Location: `${basePath}${LIST_PATH}/${loadTest.id}` };
        const form = { status: 201, headers, targets: [loadTest.id] } as const;
        return jsonResponse(loadTestJson(loadTest), form);
      },
    },
    {
      method: "GET",
      path: ITEM_PATH,
      operationId: "getLoadTest",
      summary: "Get a load test and its sources",
      description: "Returns a load test and the files imported into it.",
      scope: "read",
      parameters: [
        LOAD_TEST_IN_PATH,
        flagParameter("labels", "Whether the response has the labels of its endpoints."),
      ],
      schema: SHOWN_LOAD_TEST_SCHEMA,
      errors: ["bad-parameter", "unknown-load-test", "damaged-store"],
      async handle(values) {
        const id = idOf(values);
        const shown = await showLoadTest(catalogue, id);
        const labels =
          values.get("labels") === "true" ? { labels: await catalogue.labels(id) } : {};
        return jsonResponse({ ...shown, ...labels }, { isCacheable: true });
      },
    },
    {
      method: "PATCH",
      path: ITEM_PATH,
      operationId: "changeLoadTest",
      summary: "Rename, tag, pin or finish a load test, or name its environment",
      description:
        "Changes the given members. The id cannot be changed. Choosing labels rewrites the data of the run.",
      scope: "write",
      parameters: [LOAD_TEST_IN_PATH],
      body: { kind: "members", schema: LOAD_TEST_CHANGES, isOptional: false },
      schema: LOAD_TEST_SCHEMA,
      errors: [
        "bad-parameter",
        "unknown-load-test",
        "load-test-growing",
        "source-replaced",
        ...STORE_ERRORS,
      ],
      async handle(values, { members }) {
        return jsonResponse(loadTestJson(await catalogue.change(idOf(values), members)));
      },
    },
    {
      method: "DELETE",
      path: ITEM_PATH,
      operationId: "deleteLoadTest",
      summary: "Delete a load test",
      description: "Deletes a load test and all its data. This cannot be undone.",
      scope: "write",
      parameters: [
        LOAD_TEST_IN_PATH,
        flagParameter(
          "unused",
          "Delete it only if it has no sources (staged ones included), files or events, and is neither pinned nor finished.",
        ),
      ],
      statuses: [204],
      errors: ["bad-parameter", "unknown-load-test", ...STORE_ERRORS],
      async handle(values) {
        if (values.get("unused") === "true") await catalogue.deleteUnused(idOf(values));
        else await catalogue.delete(idOf(values));
        return NO_CONTENT;
      },
    },
  ];
}

function idsIn(values: ParameterValues): readonly string[] | undefined {
  const runs = values.get("runs");
  return runs === undefined ? undefined : [...new Set(runs.split(","))];
}

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
    parameters: [SEARCH],
    schema: TAG_COUNTS,
    errors: ["bad-parameter", "damaged-store"],
    async handle(values) {
      return jsonResponse(await countTags(values.get("search")), { isCacheable: true });
    },
  };
}
