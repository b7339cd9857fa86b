import { expect, test } from "vitest";
import { omissionOf, START } from "../../../test/support/omission-of.ts";
import {
  type Generator,
  logNormal,
  percentileOf,
  type SimulatedRequest,
  simulate,
} from "../../../test/support/simulated-load.ts";

const takenBy = ({ begin, end }: SimulatedRequest) => end - begin;
const sinceDue = ({ due, end }: SimulatedRequest) => end - due;

const FREEZE = [[60.3, 66.3]] as const;
const SERVER = { freezes: FREEZE, service: logNormal(0.05), labels: ["home", "cart", "pay"] };
const SEEDS = Array.from({ length: 5 }, (_, seed) => seed + 1);

function atRate(about: { workers: number; isDropping: boolean }): Generator {
  return { kind: "rate", rate: () => 50, ...about };
}

function closed(users: number, thinks: (random: () => number) => number): Generator {
  return { kind: "closed", users: () => users, thinks };
}

const JMETER = closed(20, logNormal(0.5, 0.3));

test.each(SEEDS)("k6 drops what is due while all its users wait (%d)", async (seed) => {
  const run = simulate({
    ...SERVER,
    seconds: 120,
    seed,
    generator: atRate({ workers: 20, isDropping: true }),
  });
  const found = await omissionOf(run);
  expect(found?.stalls).toHaveLength(1);
  const [stall] = found?.stalls ?? [];
  expect(stall).toMatchObject({ isLate: false });
  expect(stall?.from).toBeGreaterThanOrEqual(START + 60);
  expect(stall?.until).toBeLessThanOrEqual(START + 66);
  expect(stall?.requests).toBeGreaterThan(run.dropped.length * 0.9);
  expect(stall?.requests).toBeLessThan(run.dropped.length * 1.1);
  // Of those that were dropped, from when they were due to the end of the freeze.
  const felt = [...run.requests.map(sinceDue), ...run.dropped.map((due) => 66.35 - due)];
  expect(found?.p99).toBeCloseTo(percentileOf(run.requests.map(takenBy), 99), 2);
  expect(found?.p99AtLeast).toBeGreaterThan(percentileOf(felt, 99) * 0.9);
  expect(found?.p99AtLeast).toBeLessThan(percentileOf(felt, 99) * 1.05);
});

test.each(SEEDS)("a pool that catches up sends late (%d)", async (seed) => {
  const run = simulate({
    ...SERVER,
    seconds: 120,
    seed,
    generator: atRate({ workers: 20, isDropping: false }),
  });
  const found = await omissionOf(run);
  expect(found?.stalls).toMatchObject([{ isLate: true }]);
  const late = run.requests.filter(({ due, begin }) => begin - due > 0.05).length;
  expect(found?.stalls[0]?.requests).toBeGreaterThan(late * 0.8);
  expect(found?.stalls[0]?.requests).toBeLessThan(late * 1.2);
  const felt = percentileOf(run.requests.map(sinceDue), 99);
  expect(percentileOf(run.requests.map(takenBy), 99)).toBeLessThan(0.3);
  expect(found?.p99AtLeast).toBeGreaterThan(felt * 0.85);
  expect(found?.p99AtLeast).toBeLessThan(felt * 1.05);
});

test.each(SEEDS)("an open generator omits nothing (%d)", async (seed) => {
  const generator = atRate({ workers: 400, isDropping: true });
  expect(await omissionOf(simulate({ ...SERVER, seconds: 120, seed, generator }))).toBeUndefined();
});

test.each(SEEDS)("users that wait send less (%d)", async (seed) => {
  const found = await omissionOf(simulate({ ...SERVER, seconds: 120, seed, generator: JMETER }));
  expect(found?.stalls).toMatchObject([{ isLate: false }]);
  // 20 users send 36 requests a second, but for the time in which each thinks.
  expect(found?.stalls[0]?.requests).toBeGreaterThan(150);
  expect(found?.stalls[0]?.requests).toBeLessThan(220);
});
