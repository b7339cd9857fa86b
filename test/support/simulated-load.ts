/** Load generators against a server that may stand still, simulated event by event: an independent source of what they omit. */

import { seededRandom } from "../../bench/seeded-random.ts";

/** A request: when it was due, began and ended, in seconds since the start. */
export interface SimulatedRequest {
  readonly label: string;
  readonly due: number;
  readonly begin: number;
  readonly end: number;
}

export interface Simulated {
  readonly requests: readonly SimulatedRequest[];
  /** When they would have been sent, of requests that were dropped. */
  readonly dropped: readonly number[];
}

interface Server {
  /** Half open ranges in which it answers nothing. */
  readonly freezes?: readonly (readonly [from: number, until: number])[];
  /** Seconds that a request takes which begins at `at`. */
  readonly service: (random: () => number, at: number, label: string) => number;
  readonly labels?: readonly string[];
}

export type Generator =
  /** Each user sends, waits for the answer and thinks; `users` at a time. */
  | { readonly kind: "closed"; readonly users: (at: number) => number; readonly thinks: Thinking }
  /** Due at a rate, sent by workers; without a free one dropped (k6), or sent as soon as one is free (wrk2). */
  | {
      readonly kind: "rate";
      readonly rate: (at: number) => number;
      readonly workers: number;
      readonly isDropping: boolean;
    };

type Thinking = (random: () => number) => number;

export interface Simulation extends Server {
  readonly seconds: number;
  readonly seed: number;
  readonly generator: Generator;
}

export function simulate({ generator, seconds, seed, ...server }: Simulation): Simulated {
  const random = seededRandom(seed);
  const requests: SimulatedRequest[] = [];
  const dropped: number[] = [];
  const { freezes = [], service, labels = ["home"] } = server;
  const send = (due: number, begin: number): number => {
    const label = labels[Math.floor(random() * labels.length)] as string;
    let end = begin + service(random, begin, label);
    for (const [from, until] of freezes)
      if (end > from && begin < until) end += until - Math.max(from, begin);
    requests.push({ label, due, begin, end });
    return end;
  };
  if (generator.kind === "closed") {
    const most = Math.max(...Array.from({ length: seconds }, (_, at) => generator.users(at)));
    for (let user = 0; user < most; user++) {
      let at = random() * Math.max(0.1, generator.thinks(random));
      while (at < seconds) {
        if (generator.users(at) > user) at = send(at, at) + generator.thinks(random);
        else at += 0.5 + random() * 0.1;
      }
    }
  } else {
    const { workers, rate, isDropping } = generator;
    const freeAt = new Float64Array(workers);
    for (let due = 0; due < seconds; due += 1 / rate(due)) {
      const first = freeAt.reduce(
        (least, each, at) => (each < (freeAt[least] as number) ? at : least),
        0,
      );
      const free = freeAt[first] as number;
      if (free > due && isDropping) dropped.push(due);
      else freeAt[first] = send(due, Math.max(due, free));
    }
  }
  return { requests, dropped };
}

/** Log-normal around `seconds`. */
export function logNormal(seconds: number, spread = 0.5): (random: () => number) => number {
  return (random) =>
    seconds *
    Math.exp(spread * Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random()));
}

/** Nearest rank. */
export function percentileOf(values: readonly number[], percent: number): number {
  const sorted = Float64Array.from(values).toSorted();
  return sorted[Math.ceil((percent / 100) * sorted.length) - 1] as number;
}
