import type { LoadTestJson } from "../../api/load-tests.ts";
import { BASELINE_TAG } from "../../catalogue/baseline.ts";
import type { Api } from "../../client/api.ts";
import { quotedWord } from "../../model/load-test/search.ts";
import { UserError } from "../../model/errors.ts";

/** Of the operation. */
const PAGE_MAX = 1000;

const REPEATED = "the server sent the same page again: is it Tachograph at this address?";

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
    after = pageAfter(after, page.next);
  } while (after !== undefined && listed.length < limit);
  return listed;
}

/** The page after the one from `from`. Throws `bad-answer` if it is the same, since the server would be asked for ever. */
export function pageAfter(from: string | undefined, next: string | null): string | undefined {
  if (next !== null && next === from) throw new UserError("bad-answer", REPEATED);
  return next ?? undefined;
}

/** The baseline of a name: of several, the one that started last. */
export async function findBaseline(api: Api, name: string): Promise<LoadTestJson | undefined> {
  const found = await listLoadTests(api, { search: quotedWord(name), tag: BASELINE_TAG });
  return found.find((each) => each.name === name);
}
