/** Ranges in which far more requests are marked, as failed or as slow, than elsewhere: a scan by likelihood (Kulldorff's). */

/** What is searched, in ascending order of time; a mark is a request. */
export interface Marked {
  readonly requests: Float64Array;
  readonly marked: Float64Array;
}

/** Indexes of the first and the last point of a range. */
export interface Excess {
  readonly first: number;
  readonly last: number;
}

const EXCESSES_MAX = 20;

/** Natural logarithm of the likelihood ratio. Chance alone reaches 12 in a thousand runs of an hour. */
const LIKELIHOOD_MIN = 20;

/** More marks than the share elsewhere explains. */
const MARKS_MIN = 10;

/** Factor between the shares within and elsewhere. */
const RATIO_MIN = 3;

/** Each finds the ranges that are about as dense. */
const SHARES_TRIED = [0.003, 0.01, 0.03, 0.1, 0.3, 0.6, 0.9, 0.999];

/** Refinements of the share elsewhere: it is known only once the range is. */
const ROUNDS_MAX = 4;

/** Returns the ranges, the clearest first. They do not overlap. */
export function findExcesses({ requests, marked }: Marked): readonly Excess[] {
  const scan = new Scan(requests, marked);
  const found: Excess[] = [];
  while (found.length < EXCESSES_MAX) {
    const next = scan.next();
    if (next === undefined) break;
    found.push(next);
  }
  return found;
}

interface Counts {
  readonly marks: number;
  readonly requests: number;
}

interface Range extends Counts {
  /** Indexes among the points with marks. */
  readonly from: number;
  readonly to: number;
}

/** Whether there are more marks than those elsewhere explain. */
export function isExcess(within: Counts, elsewhere: Counts): boolean {
  if (elsewhere.requests === 0) return false;
  const expected = (elsewhere.marks / elsewhere.requests) * within.requests;
  return (
    within.marks - expected >= MARKS_MIN &&
    within.marks >= RATIO_MIN * expected &&
    likelihoodOf(within, shareOf(elsewhere)) >= LIKELIHOOD_MIN
  );
}

class Scan {
  /** Points with marks; only there ranges begin and end. */
  readonly #point: number[] = [];
  readonly #marks: number[] = [];
  readonly #requests: number[] = [];
  /** Requests since the one before. */
  readonly #between: number[] = [];
  readonly #isTaken: boolean[] = [];
  #left: Counts;

  constructor(requests: Float64Array, marked: Float64Array) {
    let [all, marks, between] = [0, 0, 0];
    for (const [point, count] of requests.entries()) {
      const own = marked[point] as number;
      all += count;
      marks += own;
      if (own === 0) {
        between += count;
        continue;
      }
      this.#point.push(point);
      this.#marks.push(own);
      this.#requests.push(count);
      this.#between.push(between);
      this.#isTaken.push(false);
      between = 0;
    }
    this.#left = { requests: all, marks };
  }

  next(): Excess | undefined {
    let range: Range | undefined;
    let elsewhere = this.#left;
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const clearest = this.#clearest(shareOf(elsewhere));
      if (clearest === undefined) return undefined;
      const isSame = clearest.from === range?.from && clearest.to === range.to;
      range = clearest;
      elsewhere = without(this.#left, range);
      if (isSame) break;
    }
    if (range === undefined || !isExcess(range, elsewhere)) return undefined;
    this.#isTaken.fill(true, range.from, range.to + 1);
    this.#left = elsewhere;
    return { first: this.#point[range.from] as number, last: this.#point[range.to] as number };
  }

  #clearest(share: number): Range | undefined {
    let [clearest, most] = [undefined as Range | undefined, 0];
    for (const tried of SHARES_TRIED) {
      if (tried <= share) continue;
      const range = this.#largestSum(Math.log(tried / share), Math.log((1 - tried) / (1 - share)));
      const likelihood = range === undefined ? 0 : likelihoodOf(range, share);
      if (likelihood > most) [clearest, most] = [range, likelihood];
    }
    return clearest;
  }

  /** The range with the largest sum of weights (Kadane's algorithm). */
  #largestSum(ofMark: number, ofOther: number): Range | undefined {
    let [best, most] = [undefined as Range | undefined, 0];
    let [from, sum, marks, requests] = [0, 0, 0, 0];
    for (const [at, own] of this.#marks.entries()) {
      const count = this.#requests[at] as number;
      const between = this.#between[at] as number;
      sum += between * ofOther;
      if (sum <= 0 || this.#isTaken[at - 1] === true) [from, sum, marks, requests] = [at, 0, 0, 0];
      else requests += between;
      if (this.#isTaken[at] === true) continue;
      sum += own * ofMark + (count - own) * ofOther;
      marks += own;
      requests += count;
      if (sum > most) [best, most] = [{ from, to: at, marks, requests }, sum];
    }
    return best;
  }
}

function without(all: Counts, some: Counts): Counts {
  return { marks: all.marks - some.marks, requests: all.requests - some.requests };
}

/** Half a mark more, so that none so far does not mean never. */
function shareOf({ marks, requests }: Counts): number {
  return (marks + 0.5) / (requests + 1);
}

function likelihoodOf({ marks, requests }: Counts, share: number): number {
  const own = marks / requests;
  if (own <= share) return 0;
  const others = own === 1 ? 0 : (requests - marks) * Math.log((1 - own) / (1 - share));
  return marks * Math.log(own / share) + others;
}
