/** Requests of simulated runs, none of which has changed: queues, closed users, pauses, drifts, bursts and warm-ups. */

import { seededRandom } from "../../bench/seeded-random.ts";
import type { LabelledSample } from "../support/batches.ts";

const START = 1_700_000_000;
const ENDPOINTS = 4;
/** Mean service times of the endpoints, relative to the mean of all. */
const SERVICE = [0.4, 0.8, 1.2, 1.6];
/** Deviation of the logarithm of a service time. */
const SERVICE_DEVIATION = 0.6;
const USUAL_SECONDS = 0.05;
const FAILING = 0.002;

export interface RunShape {
  readonly seconds: number;
  readonly requestsPerSecond: number;
  readonly seed: number;
}

/** Arrival in seconds since the start. */
interface Request {
  readonly at: number;
  readonly endpoint: number;
  readonly elapsedSeconds: number;
}

type Simulation = (shape: RunShape, random: () => number) => Iterable<Request>;

export const SIMULATIONS = {
  "log-normal response times": (shape, random) => factored(shape, random, () => 1),
  "Pareto, infinite variance": pareto,
  "drift of 10 %, 5 s": (shape, random) => factored(shape, random, drift(random, 5)),
  "drift of 10 %, 15 s": (shape, random) => factored(shape, random, drift(random, 15)),
  "drift of 10 %, 30 s": (shape, random) => factored(shape, random, drift(random, 30)),
  "drift of 10 %, 60 s": (shape, random) => factored(shape, random, drift(random, 60)),
  "wave of 120 s, 30 % up and down": (shape, random) =>
    factored(shape, random, wave(random, { periodSeconds: 120, height: 0.3 })),
  "warm-up of 20 s": (shape, random) =>
    factored(shape, random, (at) => 1 + 2 * Math.exp((-3 * at) / 20)),
  "2 % of seconds ten times as slow": (shape, random) =>
    factored(shape, random, slowSeconds(random)),
  "garbage collection, 0.3 s every 10 s": pauses,
  "queue at 70 %": (shape, random) => queue(shape, random, 0.7),
  "queue at 85 %": (shape, random) => queue(shape, random, 0.85),
  "queue at 95 %": (shape, random) => queue(shape, random, 0.95),
  "20 closed users, 2 servers": closedUsers,
} satisfies Readonly<Record<string, Simulation>>;

export type SimulationName = keyof typeof SIMULATIONS;

export function simulatedRun(name: SimulationName, shape: RunShape): LabelledSample[] {
  const random = seededRandom(shape.seed);
  const simulation: Simulation = SIMULATIONS[name];
  const samples: LabelledSample[] = [];
  for (const { at, endpoint, elapsedSeconds } of simulation(shape, random)) {
    samples.push({
      label: `endpoint ${endpoint}`,
      second: START + Math.floor(at),
      elapsedMicros: Math.round(elapsedSeconds * 1e6),
      receivedBytes: 100,
      failed: random() < FAILING,
    });
  }
  return samples;
}

/** Poisson arrivals. */
function* arrivals({ seconds, requestsPerSecond }: RunShape, random: () => number) {
  for (let at = exponential(random) / requestsPerSecond; at < seconds;) {
    yield { at, endpoint: Math.floor(random() * ENDPOINTS) };
    at += exponential(random) / requestsPerSecond;
  }
}

function* factored(
  shape: RunShape,
  random: () => number,
  factorAt: (second: number) => number,
): Generator<Request> {
  for (const { at, endpoint } of arrivals(shape, random)) {
    const factor = factorAt(Math.floor(at));
    yield { at, endpoint, elapsedSeconds: factor * USUAL_SECONDS * serviceOf(endpoint, random) };
  }
}

function* pareto(shape: RunShape, random: () => number): Generator<Request> {
  for (const { at, endpoint } of arrivals(shape, random)) {
    const elapsedSeconds = (USUAL_SECONDS / 4) * (SERVICE[endpoint] ?? 1);
    yield { at, endpoint, elapsedSeconds: elapsedSeconds * (1 - random()) ** (-1 / 1.1) };
  }
}

/** One server, first come, first served, that is busy for the share `load` of the time, in equilibrium from the start. */
function* queue(shape: RunShape, random: () => number, load: number): Generator<Request> {
  const mean = load / shape.requestsPerSecond;
  const warmUpSeconds = (200 * mean) / (1 - load) ** 2;
  let freeAt = 0;
  for (const each of arrivals({ ...shape, seconds: warmUpSeconds + shape.seconds }, random)) {
    freeAt = Math.max(freeAt, each.at) + mean * serviceOf(each.endpoint, random);
    const { at, endpoint } = { ...each, at: each.at - warmUpSeconds };
    if (at >= 0) yield { at, endpoint, elapsedSeconds: freeAt - each.at };
  }
}

/** A server that stands still now and then: what arrives meanwhile waits for the end. */
function* pauses(shape: RunShape, random: () => number): Generator<Request> {
  let from = 10 * exponential(random);
  let until = from + 0.3 * exponential(random);
  for (const { at, endpoint } of arrivals(shape, random)) {
    while (until < at) {
      from = until + 10 * exponential(random);
      until = from + 0.3 * exponential(random);
    }
    const waiting = at < from ? 0 : until - at;
    yield { at, endpoint, elapsedSeconds: waiting + USUAL_SECONDS * serviceOf(endpoint, random) };
  }
}

const USERS = 20;
const SERVERS = 2;

/** Users who think before each request; the servers are busy for five sixths of the time. */
function* closedUsers(shape: RunShape, random: () => number): Generator<Request> {
  const mean = (SERVERS / shape.requestsPerSecond) * (5 / 6);
  const thinking = USERS / shape.requestsPerSecond - 1.9 * mean;
  const wakesAt = Array.from({ length: USERS }, () => 2 * thinking * random());
  const freeAt = Array.from({ length: SERVERS }, () => 0);
  for (;;) {
    const at = Math.min(...wakesAt);
    if (at >= shape.seconds) return;
    const [user, server] = [wakesAt.indexOf(at), freeAt.indexOf(Math.min(...freeAt))];
    const endpoint = Math.floor(random() * ENDPOINTS);
    const doneAt = Math.max(at, freeAt[server] ?? 0) + mean * serviceOf(endpoint, random);
    freeAt[server] = doneAt;
    wakesAt[user] = doneAt + thinking * exponential(random);
    yield { at, endpoint, elapsedSeconds: doneAt - at };
  }
}

/** With a mean of 1 over all endpoints. */
function serviceOf(endpoint: number, random: () => number): number {
  const logarithm = SERVICE_DEVIATION * normal(random) - SERVICE_DEVIATION ** 2 / 2;
  return (SERVICE[endpoint] ?? 1) * Math.exp(logarithm);
}

/** An Ornstein-Uhlenbeck process with a time constant. */
function drift(random: () => number, memorySeconds: number): (second: number) => number {
  const kept = Math.exp(-1 / memorySeconds);
  const levels = [0.1 * normal(random)];
  return (second) => {
    while (levels.length <= second) {
      const step = 0.1 * Math.sqrt(1 - kept ** 2) * normal(random);
      levels.push(kept * (levels.at(-1) ?? 0) + step);
    }
    return Math.exp(levels[second] ?? 0);
  };
}

function wave(
  random: () => number,
  { periodSeconds, height }: { readonly periodSeconds: number; readonly height: number },
): (second: number) => number {
  const phase = 2 * Math.PI * random();
  return (second) => 1 + height * Math.sin(phase + (2 * Math.PI * second) / periodSeconds);
}

function slowSeconds(random: () => number): (second: number) => number {
  const factors: number[] = [];
  return (second) => {
    while (factors.length <= second) factors.push(random() < 0.02 ? 10 : 1);
    return factors[second] ?? 1;
  };
}

function exponential(random: () => number): number {
  return -Math.log(1 - random());
}

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
