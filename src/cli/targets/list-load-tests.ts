import type { LoadTestJson } from "../../api/load-tests.ts";
import { BASELINE_TAG } from "../../catalogue/baseline.ts";
import type { Api } from "../../client/api.ts";

/** Of the operation. */
const PAGE_MAX = 1000;

interface Listed {
  readonly search?: string | undefined;
  readonly tag?: string | undefined;
  /** @default all */
  readonly limit?: number | undefined;
}

/** All pages, latest start first. */
export async function listLoadTests(
  api: Api,
  { limit = Infinity, ...query }: Listed,
): Promise<readonly LoadTestJson[]> {
  const listed: LoadTestJson[] = [];
  let after: string | undefined;
  do {
    const size = Math.min(PAGE_MAX, limit - listed.length);
    const page = await api.ask("listLoadTests", { ...query, after, limit: size });
    listed.push(...page.loadTests);
    after = page.next ?? undefined;
  } while (after !== undefined && listed.length < limit);
  return listed;
}

/** The pinned baseline of a name: of several, the one that started last. */
export async function findBaseline(api: Api, name: string): Promise<LoadTestJson | undefined> {
  const pinned = await listLoadTests(api, { search: name, tag: BASELINE_TAG });
  return pinned.find((each) => each.name === name);
}
