/** Capacity of simulated closed-loop servers, against the exact solution. */

import { expect, test } from "vitest";
import { findPeak, type Peak } from "../../src/analysis/capacity/find-peak.ts";
import {
  findDoubling,
  type LoadLevel,
  levelsOf,
} from "../../src/analysis/capacity/read-capacity.ts";
import { randomOf, type SimulatedServer, simulate, throughputOf } from "./simulated-servers.ts";

const SECONDS = 600;
const WINDOW_SECONDS = 5;

/** What a linear ramp up to `most` users measures. */
function rampLevels(server: SimulatedServer, most: number, random: () => number): LoadLevel[] {
  const usersAt = (second: number) => Math.min(most, 1 + Math.floor((second / SECONDS) * most));
  const times: number[][] = Array.from({ length: SECONDS / WINDOW_SECONDS }, () => []);
  for (const { at, seconds } of simulate(server, usersAt, SECONDS, random)) {
    times[Math.floor(at / WINDOW_SECONDS)]?.push(seconds);
  }
  return levelsOf(
    times.flatMap((own, window) => {
      if (own.length === 0) return [];
      const seconds = Array.from({ length: WINDOW_SECONDS }, (_, i) => window * WINDOW_SECONDS + i);
      const load = seconds.reduce((sum, second) => sum + usersAt(second), 0) / WINDOW_SECONDS;
      const sorted = own.toSorted((one, other) => one - other);
      const p95 = sorted[Math.ceil(sorted.length * 0.95) - 1] ?? null;
      return [{ load, requests: own.length, reqPerSec: own.length / WINDOW_SECONDS, p95 }];
    }),
  );
}

function peakOf(levels: readonly LoadLevel[]): Peak | undefined {
  return findPeak(levels.map(({ load, reqPerSec }) => ({ load, throughput: reqPerSec })));
}

function serverOf(random: () => number): SimulatedServer {
  const workers = 2 ** Math.floor(random() * 6);
  const serviceSeconds = 0.02 * Math.exp(random() * 2);
  const thinkSeconds = serviceSeconds * Math.exp(random() * 4);
  return { workers, serviceSeconds, thinkSeconds, cost: Math.exp(-3 - random() * 4) / workers };
}

function capacityOf(server: SimulatedServer): { readonly users: number; readonly rate: number } {
  let best = { users: 1, rate: 0 };
  for (let users = 1; users < 3000; users++) {
    const rate = throughputOf(server, users);
    if (rate > best.rate) best = { users, rate };
    else if (rate < best.rate * 0.999) break;
  }
  return best;
}

test("the peak of 200 servers is within 10 % in 90 % of them, and within its limits in 93 %", () => {
  let [near, within] = [0, 0];
  for (let seed = 1; seed <= 200; seed++) {
    const random = randomOf(seed);
    const server = serverOf(random);
    const { users, rate } = capacityOf(server);
    const most = Math.ceil(users * (1.5 + random() * 1.5));
    const found = peakOf(rampLevels(server, most, random))?.throughput;
    if (found === undefined) continue;
    if (Math.abs(found.value / rate - 1) <= 0.1) near += 1;
    if (found.low <= rate && rate <= found.high) within += 1;
  }
  expect(near).toBeGreaterThanOrEqual(180);
  expect(within).toBeGreaterThanOrEqual(186);
});

test("the capacity of 50 servers that are merely busy is within 10 % in 90 % of them", () => {
  let near = 0;
  for (let seed = 1; seed <= 50; seed++) {
    const random = randomOf(1000 + seed);
    const server = { ...serverOf(random), cost: 0 };
    const rate = server.workers / server.serviceSeconds;
    const users = server.workers * (1 + server.thinkSeconds / server.serviceSeconds);
    const found = peakOf(rampLevels(server, Math.ceil(users * 3), random));
    if (found !== undefined && Math.abs(found.throughput.value / rate - 1) <= 0.1) near += 1;
  }
  expect(near).toBeGreaterThanOrEqual(45);
});

/** Service and think times in seconds. The last two slow down with each request inside. */
const SYSTEMS: Readonly<Record<string, SimulatedServer>> = {
  "M/M/1": { workers: 1, serviceSeconds: 0.02, thinkSeconds: 1, cost: 0 },
  "M/M/4": { workers: 4, serviceSeconds: 0.05, thinkSeconds: 1, cost: 0 },
  "M/M/16": { workers: 16, serviceSeconds: 0.1, thinkSeconds: 1, cost: 0 },
  "8 workers that slow down": { workers: 8, serviceSeconds: 0.05, thinkSeconds: 0.5, cost: 0.004 },
  "4 workers that slow down": { workers: 4, serviceSeconds: 0.05, thinkSeconds: 1, cost: 0.002 },
};

/** The largest throughput up to so many users, and the least users that reach 95 % of it. */
function bendOf(server: SimulatedServer, most: number) {
  const rates = Array.from({ length: most }, (_, index) => throughputOf(server, index + 1));
  const rate = Math.max(...rates);
  return { rate, users: rates.findIndex((each) => each >= 0.95 * rate) + 1 };
}

function shareOf(all: readonly boolean[]): number {
  return all.filter(Boolean).length / all.length;
}

test("however far a ramp goes, the limits contain the exact solution in 95 of 100", () => {
  const [found, ofRate, ofUsers] = [[] as Peak[], [] as boolean[], [] as boolean[]];
  for (const server of Object.values(SYSTEMS)) {
    const saturated = server.workers * (1 + server.thinkSeconds / server.serviceSeconds);
    for (const factor of [1.4, 1.8, 2.5, 3.5]) {
      const most = Math.ceil(saturated * factor);
      const exact = bendOf(server, most);
      for (let seed = 1; seed <= 10; seed++) {
        const peak = peakOf(rampLevels(server, most, randomOf(3000 + 10 * most + seed)));
        if (peak === undefined) continue;
        found.push(peak);
        const { load, throughput } = peak;
        ofRate.push(throughput.low <= exact.rate && exact.rate <= throughput.high);
        ofUsers.push(load.low <= exact.users && exact.users <= load.high);
      }
    }
  }
  expect(found.length).toBeGreaterThanOrEqual(190);
  expect(shareOf(ofRate)).toBeGreaterThanOrEqual(0.93);
  expect(shareOf(ofUsers)).toBeGreaterThanOrEqual(0.93);
});

test("no limit is found in 100 linear ramps", () => {
  const found: unknown[] = [];
  for (let seed = 1; seed <= 100; seed++) {
    const random = randomOf(2000 + seed);
    // Never more users than workers: each request takes its own time, whatever the load is.
    const most = 10 + Math.floor(random() * 200);
    const levels = rampLevels({ ...serverOf(random), workers: most, cost: 0 }, most, random);
    const [peak, doubling] = [peakOf(levels), findDoubling(levels)];
    if (peak !== undefined || doubling !== undefined) found.push({ seed, peak, doubling });
  }
  expect(found).toEqual([]);
});
