import { EVENT, EVENTS } from "../api/measures.ts";
import { SUMMARY } from "../api/summary.ts";
import { type LoadTestSummary, unknownLoadTest } from "../model/load-test.ts";
import type { Catalogue } from "../catalogue/catalogue.ts";
import {
  type LoadTestChanges,
  type LoadTestJson,
  type NewLoadTest,
  LOAD_TEST_SCHEMA,
  PAGE_SCHEMA,
  SHOWN_LOAD_TEST_SCHEMA,
} from "../api/load-tests.ts";
import type { ServerCalls } from "./server-calls.ts";
import { isId } from "../model/id.ts";

/** Load tests of a server, a request per operation. `reads` may retry indefinitely; `changes` should be sent once. */
export function openRemoteCatalogue(
  reads: Pick<ServerCalls, "read">,
  changes: Pick<ServerCalls, "call" | "request">,
  createLoadTestId: () => string,
): Catalogue {
  const send = async (
    method: "POST" | "PATCH",
    path: string,
    members: NewLoadTest | LoadTestChanges,
  ): Promise<LoadTestSummary> => {
    return parseLoadTest(await changes.request({ method, path, members }, LOAD_TEST_SCHEMA));
  };
  return {
    async list({ limit = Infinity, after, search, tag }) {
      const loadTests: LoadTestSummary[] = [];
      let next = after;
      do {
        const size = Math.min(PAGE_MAX, limit - loadTests.length);
        const path = withParameters(LIST_PATH, { search, tag, after: next, limit: size });
        const page = await reads.read(path, PAGE_SCHEMA);
        loadTests.push(...page.loadTests.map(parseLoadTest));
        next = page.next ?? undefined;
      } while (next !== undefined && loadTests.length < limit);
      return { loadTests, next };
    },
    create({ id = createLoadTestId(), name, tags, pinned }) {
      return send("POST", LIST_PATH, { id, name, tags, pinned });
    },
    async show(id) {
      const shown = await reads.read(loadTestPath(id), SHOWN_LOAD_TEST_SCHEMA);
      const { sources, quality, ...loadTest } = shown;
      return { loadTest: parseLoadTest(loadTest), sources, quality };
    },
    async labels(id) {
      const { endpoints } = await reads.read(`${loadTestPath(id)}/Summary`, SUMMARY);
      return endpoints.map(({ label }) => label);
    },
    change: async (id, members) => send("PATCH", loadTestPath(id), members),
    async delete(id) {
      await changes.call({ method: "DELETE", path: loadTestPath(id) });
    },
    async deleteUnused(id) {
      await changes.call({ method: "DELETE", path: `${loadTestPath(id)}?unused=true` });
    },
    events: {
      list: (id) => reads.read(`${loadTestPath(id)}/Events`, EVENTS),
      add(id, members) {
        const path = `${loadTestPath(id)}/Events`;
        return changes.request({ method: "POST", path, members }, EVENT);
      },
      async remove(id, event) {
        const path = `${loadTestPath(id)}/Events/${encodeURIComponent(event)}`;
        await changes.call({ method: "DELETE", path });
      },
    },
  };
}

/** Page size of the server. */
const PAGE_MAX = 1000;

function parseLoadTest(loadTest: LoadTestJson): LoadTestSummary {
  const { createdAt, finishedAt, lastDataAt, from, until, ...others } = loadTest;
  return {
    ...others,
    createdAtMs: Date.parse(createdAt),
    finishedAtMs: parseTime(finishedAt),
    lastDataAtMs: parseTime(lastDataAt),
    from: from ?? undefined,
    until: until ?? undefined,
  };
}

export function parseTime(text: string | null): number | undefined {
  return text === null ? undefined : Date.parse(text);
}

/** Path of load tests, relative to a server's URL. */
const LIST_PATH = "/Api/LoadTests";

/** Path of one load test. Throws `unknown-load-test` for an invalid id. */
export function loadTestPath(id: string): string {
  return `${LIST_PATH}/${checkedId(id)}`;
}

/** Returns an id that needs no escaping in a URL. Throws `unknown-load-test` for an invalid id. */
export function checkedId(id: string): string {
  if (isId(id)) return id;
  throw unknownLoadTest(id);
}

/** Query parameters; `undefined` ones are omitted. */
export type Parameters = Readonly<Record<string, string | number | undefined>>;

export function withParameters(path: string, parameters: Parameters): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) query.set(name, String(value));
  }
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}
