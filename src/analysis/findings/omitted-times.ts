import type { OmittedRequests } from "../../api/findings.ts";

/** Requests that waited for the load generator, for times in seconds that are spread evenly between two. */
export interface Waiting {
  readonly requests: number;
  /** Of these, those that are not among the recorded ones. */
  readonly unsent: number;
  readonly least: number;
  readonly most: number;
}

interface Recorded {
  readonly requests: number;
  /** Average. */
  readonly seconds: number;
}

/** `share` of what waited in stalls: a request that is due during one waits for the rest of it. Those sent late are recorded. */
export function waitsOf(stalls: readonly OmittedRequests[], share: number): readonly Waiting[] {
  return stalls.map(({ requests, waitSeconds, isLate }) => {
    const waiting = requests * share;
    return { requests: waiting, unsent: isLate ? 0 : waiting, least: 0, most: waitSeconds };
  });
}

/**
 * Returns the least response time in seconds that `percent` of the requests may have taken, counted from when they were due. What was
 * recorded counts as immediate, so the larger of this and the recorded percentile is a lower bound. 0 if too few waited.
 */
export function percentileAtLeast(
  percent: number,
  waiting: readonly Waiting[],
  recorded: number,
): number {
  const slower = (1 - percent / 100) * (recorded + unsentIn(waiting));
  const bends = waiting
    .flatMap(({ requests, least, most }) => {
      const perSecond = requests / (most - least);
      return [
        { at: most, perSecond },
        { at: least, perSecond: -perSecond },
      ];
    })
    .toSorted((left, right) => right.at - left.at);
  // Requests that take longer than the time of a bend, and how many more do for each second less.
  let [longer, perSecond] = [0, 0];
  for (const [index, bend] of bends.entries()) {
    perSecond += bend.perSecond;
    const { at } = bends[index + 1] ?? bend;
    const longerThere = longer + (bend.at - at) * perSecond;
    if (longerThere > slower) return bend.at - (slower - longer) / perSecond;
    longer = longerThere;
  }
  return 0;
}

/** As `percentileAtLeast`, of the average. */
export function averageAtLeast(
  waiting: readonly Waiting[],
  { requests, seconds }: Recorded,
): number {
  const waited = waiting.reduce(
    (sum, each) => sum + (each.requests * (each.least + each.most)) / 2,
    0,
  );
  return (requests * seconds + waited) / (requests + unsentIn(waiting));
}

export function unsentIn(waiting: readonly Waiting[]): number {
  return waiting.reduce((sum, { unsent }) => sum + unsent, 0);
}
