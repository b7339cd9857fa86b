/** Generated load tests with any noise and known changes. */

import { seededRandom } from "../../bench/seeded-random.ts";
import type { LabelledSample } from "../support/batches.ts";

export const START = 1_700_000_000;

export interface LoadTestShape {
  readonly seconds: number;
  readonly requestsPerSecond: number;
  readonly endpoints: number;
  readonly noise: Noise;
  readonly seed: number;
  /** Factor on response times. @default 1 */
  readonly slowdown?: (second: number, endpoint: number) => number;
  /** Share of requests that fail. @default 0.002 */
  readonly failing?: (second: number, endpoint: number) => number;
}

/**
 * The effect of a noise on one load test: a factor on all response times of a second, and one on each
 * response time.
 */
interface Noise {
  (random: () => number): {
    readonly ofSecond?: (second: number) => number;
    readonly ofRequest: () => number;
  };
}

export const NOISES = {
  calm: (random) => ({ ofRequest: logNormal(random, 0.6) }),
  "heavy tails": (random) => ({ ofRequest: () => (1 - random()) ** (-1 / 1.5) }),
  "two humps": (random) => ({
    ofRequest: () => (random() < 0.06 ? 8 : 1) * logNormal(random, 0.2)(),
  }),
  "fast drift": (random) => ({ ...drift(random, 5), ofRequest: logNormal(random, 0.6) }),
  drift: (random) => ({ ...drift(random, 15), ofRequest: logNormal(random, 0.6) }),
  "slow drift": (random) => ({ ...drift(random, 60), ofRequest: logNormal(random, 0.6) }),
  wave: (random) => ({ ...wave(random, 900), ofRequest: logNormal(random, 0.6) }),
  "steep wave": (random) => ({ ...wave(random, 300), ofRequest: logNormal(random, 0.6) }),
  pauses: (random) => {
    const pauses = new Map<number, boolean>();
    return {
      ofSecond(second) {
        const isPause = pauses.get(second) ?? random() < 0.02;
        pauses.set(second, isPause);
        return isPause ? 10 : 1;
      },
      ofRequest: logNormal(random, 0.6),
    };
  },
  milliseconds: (random) => ({
    // A response time of 1 or 2 ms, from a tool without a finer resolution.
    ofRequest: () => Math.round((0.5 + 1.5 * random()) * logNormal(random, 0.3)()) / 50,
  }),
} satisfies Record<string, Noise>;

const USUAL_MICROS = 50_000;

export function generatedSamples(shape: LoadTestShape): LabelledSample[] {
  const { seconds, requestsPerSecond, endpoints, noise, seed } = shape;
  const { slowdown = () => 1, failing = () => 0.002 } = shape;
  const random = seededRandom(seed);
  const { ofSecond = () => 1, ofRequest } = noise(random);
  return Array.from({ length: seconds * requestsPerSecond }, (_, index) => {
    const second = Math.floor(index / requestsPerSecond);
    const endpoint = Math.floor(random() * endpoints);
    const factor = ofSecond(second) * ofRequest() * slowdown(second, endpoint);
    return {
      label: `endpoint ${endpoint}`,
      second: START + second,
      elapsedMicros: Math.round(USUAL_MICROS * factor * (1 + endpoint / 2)),
      receivedBytes: 100,
      failed: random() < failing(second, endpoint),
    };
  });
}

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

function logNormal(random: () => number, deviation: number): () => number {
  return () => Math.exp(deviation * normal(random));
}

/** Two and a half times as slow at its maximum as at its minimum. */
function wave(random: () => number, periodSeconds: number) {
  const phase = random() * 2 * Math.PI;
  return {
    ofSecond: (second: number) =>
      Math.exp(0.5 * Math.sin(phase + (2 * Math.PI * second) / periodSeconds)),
  };
}

/** Up and down by some 10 %, with a time constant in seconds: an Ornstein-Uhlenbeck process. */
function drift(random: () => number, memorySeconds: number) {
  const kept = Math.exp(-1 / memorySeconds);
  const step = 0.1 * Math.sqrt(1 - kept ** 2);
  const levels: number[] = [0.1 * normal(random)];
  const levelAt = (second: number): number => {
    while (levels.length <= second) {
      levels.push(kept * (levels.at(-1) ?? 0) + step * normal(random));
    }
    return levels[second] ?? 0;
  };
  return { ofSecond: (second: number) => Math.exp(levelAt(second)) };
}
