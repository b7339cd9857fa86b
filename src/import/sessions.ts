import type { ImportTarget } from "./ensure-load-test.ts";

/** A time span of a source in which requests started; UNIX seconds, inclusive. */
export interface Session {
  readonly from: number;
  readonly until: number;
}

/** A pause of this length in a source is reported as several sessions. */
export const SESSION_GAP_SECONDS = 3600;

/** With more spans than this, timestamps are too scattered for sessions; the spans are dropped. */
const SESSIONS_MAX = 10_000;

/** Finds the spans between pauses of at least `gapSeconds`; accepts seconds in any order. */
export class Sessions {
  readonly #gapSeconds: number;
  /** Ascending, with at least a gap in between; `undefined` if too many. */
  #found: { from: number; until: number }[] | undefined = [];
  /** Index of the span used last. */
  #last = 0;

  constructor(gapSeconds: number) {
    this.#gapSeconds = gapSeconds;
  }

  /** `undefined` if there are too many. */
  get found(): readonly Session[] | undefined {
    return this.#found;
  }

  /** Adds a UNIX second in which a request started. */
  add(second: number): void {
    const session = this.#found?.[this.#last];
    if (session !== undefined && second >= session.from && second <= session.until) return;
    if (this.#found !== undefined) this.#put(second, this.#found);
  }

  #put(second: number, found: { from: number; until: number }[]): void {
    let [at, end] = [0, found.length];
    while (at < end) {
      const middle = (at + end) >> 1;
      if ((found[middle]?.until ?? 0) + this.#gapSeconds > second) end = middle;
      else at = middle + 1;
    }
    this.#last = at;
    const session = found[at];
    if (session === undefined || second <= session.from - this.#gapSeconds) {
      found.splice(at, 0, { from: second, until: second });
      if (found.length > SESSIONS_MAX) this.#found = undefined;
      return;
    }
    session.from = Math.min(session.from, second);
    session.until = Math.max(session.until, second);
    const next = found[at + 1];
    if (next === undefined || next.from - session.until >= this.#gapSeconds) return;
    session.until = next.until;
    found.splice(at + 1, 1);
  }
}

/** Returns the note about several sessions, if there are. */
export function noteOnSessions({ found = [] }: Sessions): string[] {
  const gaps = found.flatMap(({ until }, at) => {
    const next = found[at + 1];
    return next === undefined ? [] : [{ until, seconds: next.from - until }];
  });
  const longest = gaps.toSorted((a, b) => b.seconds - a.seconds)[0];
  if (longest === undefined) return [];
  const hours = Math.round(longest.seconds / 3600);
  const since = new Date(longest.until * 1000).toISOString().slice(0, 19);
  return [
    `the source holds ${found.length} sessions: no request started for ${hours} h after ${since}Z; ` +
      "import it with --split-gap 1h to make a load test of each",
  ];
}

async function done(): Promise<void> {}

/** Stores nothing; passes each point's UNIX second (0: unknown) to `take`, and looks up contents in `target`. */
export function createScanTarget(
  target: ImportTarget,
  take: (second: number) => void,
): ImportTarget {
  return {
    loadTests: { find: async (id) => ({ id }), create: done, deleteUnused: done, update: done },
    points: {
      append: async ({ points }) => {
        for (const second of points.second) take(second);
        return { duplicate: false };
      },
      sources: async () => [],
      findContent: (content) => target.points.findContent(content),
      liveSources: async () => [],
      publish: async () => ({ duplicate: false }),
      discard: done,
      withdraw: done,
    },
  };
}
