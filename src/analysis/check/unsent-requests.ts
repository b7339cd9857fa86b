import type { OmittedRequests } from "../../api/findings.ts";
import type { SecondRange } from "../../model/columns.ts";

/** Requests whose waiting times, in seconds, are spread evenly between two. */
interface Waiting {
  readonly requests: number;
  readonly least: number;
  readonly most: number;
}

interface Recorded {
  readonly requests: number;
  /** Average. */
  readonly seconds: number;
}

/** An hour halved this many times is less than a microsecond. */
const HALVINGS = 32;

/** The requests that a load generator did not send, by the window in which they were due. Windows are read in ascending order. */
export class UnsentRequests {
  readonly #stalls: readonly OmittedRequests[];
  readonly #share: number;
  #at = 0;

  /** `share`: of all requests in which the stalls were found. */
  constructor(stalls: readonly OmittedRequests[], share: number) {
    this.#stalls = stalls.toSorted((left, right) => left.from - right.from);
    this.#share = share;
  }

  dueIn({ from, until }: SecondRange): readonly Waiting[] {
    while ((this.#stalls[this.#at]?.until ?? Infinity) < from) this.#at += 1;
    const due: Waiting[] = [];
    for (let at = this.#at; at < this.#stalls.length; at++) {
      const stall = this.#stalls[at] as OmittedRequests;
      if (stall.from >= until) break;
      const end = stall.until + 1;
      const [first, last] = [Math.max(from, stall.from), Math.min(until, end)];
      const perSecond = 1 / (end - stall.from);
      // A request waits from when it is due until the stall ends.
      const [least, most] = [end - last, end - first].map(
        (rest) => rest * perSecond * stall.waitSeconds,
      ) as [number, number];
      const requests = stall.requests * this.#share * (last - first) * perSecond;
      due.push({ requests, least, most });
    }
    return due;
  }
}

/** The least that a percentile may be, in seconds: recorded requests count as immediate. */
export function percentileOfDue(
  percent: number,
  due: readonly Waiting[],
  recorded: number,
): number {
  const slower = (1 - percent / 100) * (recorded + requestsIn(due));
  let [low, high] = [0, Math.max(...due.map(({ most }) => most))];
  if (requestsIn(due) <= slower) return 0;
  for (let halving = 0; halving < HALVINGS; halving++) {
    const middle = (low + high) / 2;
    const above = due.reduce((sum, { requests, least, most }) => {
      const share = (most - middle) / (most - least);
      return sum + requests * Math.min(1, Math.max(0, share));
    }, 0);
    if (above > slower) low = middle;
    else high = middle;
  }
  return low;
}

export function averageWithDue(due: readonly Waiting[], { requests, seconds }: Recorded): number {
  const waited = due.reduce((sum, each) => sum + (each.requests * (each.least + each.most)) / 2, 0);
  return (requests * seconds + waited) / (requests + requestsIn(due));
}

export function requestsIn(due: readonly Waiting[]): number {
  return due.reduce((sum, { requests }) => sum + requests, 0);
}
