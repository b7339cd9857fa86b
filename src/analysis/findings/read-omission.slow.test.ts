import { expect, test } from "vitest";
import { omissionOf } from "../../../test/support/omission-of.ts";
import {
  type Generator,
  logNormal,
  type Simulation,
  simulate,
} from "../../../test/support/simulated-load.ts";

type Run = Omit<Simulation, "seed">;

const service = logNormal(0.05);
const labels = ["home", "cart", "pay"];

function closed(users: (at: number) => number, thinkSeconds: number): Generator {
  return {
    kind: "closed",
    users,
    thinks: thinkSeconds === 0 ? () => 0 : logNormal(thinkSeconds, 0.4),
  };
}

function atRate(rate: (at: number) => number, workers = 400): Generator {
  return { kind: "rate", rate, workers, isDropping: true };
}

/** A pause of so many seconds, every half minute. */
const pauses = (seconds: number) =>
  Array.from(
    { length: 10 },
    (_, index) => [20.4 + index * 30, 20.4 + index * 30 + seconds] as const,
  );

const CLEAN: Readonly<Record<string, Run>> = {
  "ramp up and down": {
    generator: closed((at) => Math.min(at, 300 - at) / 5, 0.5),
    service,
    labels,
    seconds: 300,
  },
  "ramp down of slow requests": {
    generator: closed((at) => (at < 200 ? 40 : 40 - (at - 200) / 3), 0.2),
    service: logNormal(2, 0.8),
    labels,
    seconds: 300,
  },
  "steps of the rate": {
    generator: atRate((at) => [50, 10, 80, 20, 60][Math.floor(at / 60)] ?? 5),
    service,
    labels,
    seconds: 300,
  },
  spikes: {
    generator: atRate((at) => (at % 90 < 20 ? 100 : 8)),
    service: logNormal(0.8, 1),
    labels,
    seconds: 360,
  },
  "phases with breaks": {
    generator: closed((at) => (at % 60 < 45 ? 20 : 0), 0.3),
    service: logNormal(0.5, 1.2),
    labels,
    seconds: 300,
  },
  "garbage collection, 1 s": {
    generator: closed(() => 20, 0.3),
    service,
    labels,
    seconds: 320,
    freezes: pauses(1),
  },
  "garbage collection, 2 s": {
    generator: atRate(() => 50, 20),
    service,
    labels,
    seconds: 320,
    freezes: pauses(2),
  },
  "think time of 20 s": {
    generator: closed(() => 100, 20),
    service: logNormal(0.4, 1),
    labels,
    seconds: 600,
  },
  "30 s": { generator: closed(() => 10, 0.1), service, labels, seconds: 30 },
  "few requests": {
    generator: closed(() => 2, 3),
    service: logNormal(0.6, 1),
    labels,
    seconds: 600,
  },
  "a heavy tail": {
    generator: closed(() => 30, 0.5),
    service: (random) => 0.05 / (1 - random()) ** (1 / 1.1),
    labels,
    seconds: 600,
  },
  "a slow report now and then, one user": {
    generator: closed(() => 1, 0.05),
    service: (random, _, label) => (label === "report" ? 8 : 0.03) * (0.8 + 0.4 * random()),
    labels: ["report", ...Array.from({ length: 499 }, () => "home")],
    seconds: 600,
  },
  "a language model": {
    generator: closed(() => 8, 0.5),
    service: logNormal(4, 0.7),
    labels,
    seconds: 900,
  },
  "twice as slow for good": {
    generator: closed(() => 20, 0.1),
    service: (random, at) => (at < 150 ? 1 : 4) * service(random),
    labels,
    seconds: 300,
  },
};

const SEEDS = Array.from({ length: 8 }, (_, seed) => seed + 1);

test.each(Object.entries(CLEAN))("nothing is omitted: %s", async (_, run) => {
  for (const seed of SEEDS) {
    const found = await omissionOf(simulate({ ...run, seed }));
    expect.soft(found, `seed ${seed}`).toBeUndefined();
  }
});

/** A freeze of 6 s, and what is found of it in how many of 8 runs. */
const STALLED: Readonly<Record<string, Generator>> = {
  "k6, 20 of 20 users wait": { kind: "rate", rate: () => 20, workers: 20, isDropping: true },
  "a pool that catches up": { kind: "rate", rate: () => 20, workers: 20, isDropping: false },
  "JMeter, 3 users who think for 0.5 s": closed(() => 3, 0.5),
  "JMeter, 12 users who think for 0.5 s": closed(() => 12, 0.5),
  "JMeter, 3 users who do not think": closed(() => 3, 0),
};

test.each(Object.entries(STALLED))("a stall of 6 s is found: %s", async (_, generator) => {
  for (const seed of SEEDS) {
    const from = 100 + seed / SEEDS.length;
    const freezes = [[from, from + 6]] as const;
    const found = await omissionOf(
      simulate({ generator, service, labels, seconds: 200, seed, freezes }),
    );
    expect.soft(found?.stalls, `seed ${seed}`).toHaveLength(1);
  }
});
