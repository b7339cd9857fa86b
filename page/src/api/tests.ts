import { type Answer, ask } from "./client.ts";

/** See docs/api.md, "GET /Api/Tests". */
export type Tests = Answer<"listTests">;
export type Test = Tests["tests"][number];

/** What a list row shows beyond the list's own answer. */
export type Digest = Answer<"listDigests">["digests"][number];

export function listTests(search: string | undefined, signal: AbortSignal): Promise<Tests> {
  return ask("listTests", { search }, { signal });
}

/** Of the operation. */
const DIGESTS_MAX = 100;

export interface Digests {
  readonly byId: ReadonlyMap<string, Digest>;
  /** Whether all are known that exist. */
  readonly isComplete: boolean;
  readonly unread?: Answer<"listDigests">["unread"];
}

export async function askDigests(ids: readonly string[], signal: AbortSignal): Promise<Digests> {
  const byId = new Map<string, Digest>();
  const unread: NonNullable<Digests["unread"]>[number][] = [];
  let isComplete = true;
  for (let at = 0; at < ids.length && isComplete; at += DIGESTS_MAX) {
    const runs = ids.slice(at, at + DIGESTS_MAX).join(",");
    const answer = await ask("listDigests", { runs }, { signal });
    for (const digest of answer.digests) byId.set(digest.id, digest);
    unread.push(...(answer.unread ?? []));
    ({ isComplete } = answer);
  }
  return { byId, isComplete, unread };
}
