import type { LoadTestJson } from "../../api/load-tests.ts";
import { BASELINE_TAG } from "../../catalogue/baseline.ts";
import type { Api } from "../../client/api.ts";
import { quotedWord } from "../../model/load-test/search.ts";
import { UserError } from "../../model/errors.ts";

/** Of the operation. */
const PAGE_MAX = 1000;

/** Without this check, such a server would be asked for ever. */
const REPEATED = "the server sent the same page of runs again: is it Tachograph at this address?";

interface Listed {
  readonly search?: string | undefined;
  readonly tag?: string | undefined;
  /** @default all */
  readonly limit?: number | undefined;
  readonly onUnknown?: (runs: number) => void;
}

/** All pages, latest start first. */
export async function listLoadTests(
  api: Api,
  { limit = Infinity, onUnknown, ...query }: Listed,
): Promise<readonly LoadTestJson[]> {
  const listed: LoadTestJson[] = [];
  let after: string | undefined;
  do {
    const size = Math.min(PAGE_MAX, limit - listed.length);
    const page = await api.ask("listLoadTests", { ...query, after, limit: size });
    listed.push(...page.loadTests);
    onUnknown?.(page.unknown ?? 0);
    if (page.next !== null && page.next === after) throw new UserError("bad-answer", REPEATED);
    after = page.next ?? undefined;
  } while (after !== undefined && listed.length < limit);
  return listed;
}

/** The baseline of a name: of several, the one that started last. */
export async function findBaseline(api: Api, name: string): Promise<LoadTestJson | undefined> {
  const found = await listLoadTests(api, { search: quotedWord(name), tag: BASELINE_TAG });
  return found.find((each) => each.name === name);
}
