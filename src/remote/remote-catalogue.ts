import type { LoadTestSummary } from "../model/load-test.ts";
import type { Catalogue } from "../operations/catalogue.ts";
import type { PublishedSource } from "../store/store.ts";
import type { ServerCall, ServerCalls } from "./server-calls.ts";

/** The load tests of a server: every operation is one call, which is not repeated. */
export function openRemoteCatalogue(
  calls: Pick<ServerCalls, "call">,
  createLoadTestId: () => string,
): Catalogue {
  const send = (method: "POST" | "PATCH", path: string, members: object): Promise<unknown> =>
    calls.call({ method, path, headers: JSON_HEADERS, body: JSON.stringify(members) });
  const get = (path: string): Promise<unknown> => calls.call({ method: "GET", path });
  return {
    async list({ limit = Infinity, after, search, tag }) {
      const loadTests: LoadTestSummary[] = [];
      let next = after;
      do {
        const size = Math.min(PAGE_MAX, limit - loadTests.length);
        const page = (await get(listPath({ search, tag, after: next, limit: size }))) as PageJson;
        loadTests.push(...page.loadTests.map(parseLoadTest));
        next = page.next ?? undefined;
      } while (next !== undefined && loadTests.length < limit);
      return { loadTests, next };
    },
    async create({ id = createLoadTestId(), name, tags, pinned }) {
      return parseLoadTest(await send("POST", LIST_PATH, { id, name, tags, pinned }));
    },
    async show(id) {
      const shown = (await get(pathOf(id))) as LoadTestJson & { sources: PublishedSource[] };
      const sources = shown.sources.map((source) => {
        return { ...source, loadTestId: id };
      });
      return { loadTest: parseLoadTest(shown), sources };
    },
    async labels(id) {
      const summary = (await get(`${pathOf(id)}/Summary`)) as { endpoints: { label: string }[] };
      return summary.endpoints.map(({ label }) => label);
    },
    async change(id, { addedTags, removedTags, ...others }) {
      const members = { ...others, addTags: addedTags, removeTags: removedTags };
      return parseLoadTest(await send("PATCH", pathOf(id), members));
    },
    async delete(id) {
      await calls.call({ method: "DELETE", path: pathOf(id) });
    },
  };
}

const JSON_HEADERS: NonNullable<ServerCall["headers"]> = { "Content-Type": "application/json" };

const LIST_PATH = "/Api/LoadTests";

/** As many load tests as a server gives at once. */
const PAGE_MAX = 1000;

function pathOf(id: string): string {
  return `${LIST_PATH}/${encodeURIComponent(id)}`;
}

function listPath(parameters: Readonly<Record<string, string | number | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) query.set(name, String(value));
  }
  return `${LIST_PATH}?${query.toString()}`;
}

interface PageJson {
  readonly loadTests: readonly LoadTestJson[];
  readonly next: string | null;
}

/** A load test as `render/load-test-json.ts` writes it. */
interface LoadTestJson {
  readonly id: string;
  readonly name: string;
  readonly tags: readonly string[];
  readonly pinned: boolean;
  readonly createdAt: string;
  readonly finishedAt: string | null;
  readonly lastDataAt: string | null;
  readonly endpoints: number;
  readonly requests: number;
  readonly failedRequests: number;
  readonly from: number | null;
  readonly until: number | null;
  readonly formats: readonly string[];
}

function parseLoadTest(json: unknown): LoadTestSummary {
  const loadTest = json as LoadTestJson;
  const { id, name, tags, pinned, endpoints, requests, failedRequests, formats } = loadTest;
  return {
    id,
    name,
    tags,
    pinned,
    createdAtMs: Date.parse(loadTest.createdAt),
    finishedAtMs: parseTime(loadTest.finishedAt),
    lastDataAtMs: parseTime(loadTest.lastDataAt),
    endpoints,
    requests,
    failedRequests,
    from: loadTest.from ?? undefined,
    until: loadTest.until ?? undefined,
    formats,
  };
}

function parseTime(text: string | null): number | undefined {
  return text === null ? undefined : Date.parse(text);
}
