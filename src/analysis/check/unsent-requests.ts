import type { OmittedRequests } from "../../api/findings.ts";
import type { SecondRange } from "../../model/columns.ts";
import type { Waiting } from "../findings/omitted-times.ts";

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
      due.push({ requests, unsent: requests, least, most });
    }
    return due;
  }
}
