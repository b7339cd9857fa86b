/** T2: the time to reject a wrong key does not reveal how much of it is right. */

import { randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import { expect, test } from "vitest";
import { createKeyRing } from "../../src/catalogue/keys.ts";
import { openStoreIn, temporaryDirectory } from "../support/store-directory.ts";

/** 100 families of 5 wrong keys of each kind, 20 times each: 20,000 rejections in a round. */
const VALID_KEYS = 100;
const FAMILY = 5;
const TURNS = 20;
const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** The checksum of docs/api.md: without it a key would not be looked up. */
function withChecksum(body: string): string {
  let rest = crc32(body);
  let digits = "";
  for (let digit = 0; digit < 6; digit++) {
    digits = `${BASE62[rest % 62]}${digits}`;
    rest = Math.floor(rest / 62);
  }
  // Makes a flat string, as read from a socket: V8 stores a concatenation in pieces until it is read.
  return Buffer.from(body + digits).toString("latin1");
}

function randomText(length: number): string {
  return Array.from(randomBytes(length), (byte) => BASE62[byte % 62]).join("");
}

/** Two-sided p of the Mann-Whitney U test, by the normal approximation. */
function mannWhitney(left: readonly number[], right: readonly number[]): number {
  const ranked = [...left.map((value) => [value, 0]), ...right.map((value) => [value, 1])];
  ranked.sort(([one = 0], [other = 0]) => one - other);
  let leftRanks = 0;
  for (let from = 0; from < ranked.length;) {
    let until = from;
    while (until < ranked.length && ranked[until]?.[0] === ranked[from]?.[0]) until += 1;
    const shared = (from + 1 + until) / 2;
    for (; from < until; from++) if (ranked[from]?.[1] === 0) leftRanks += shared;
  }
  const [n, m] = [left.length, right.length];
  const u = leftRanks - (n * (n + 1)) / 2;
  const z = Math.abs(u - (n * m) / 2) / Math.sqrt((n * m * (n + m + 1)) / 12);
  return 2 * (1 - normal(z));
}

/** Cumulative normal distribution of z >= 0: Abramowitz and Stegun 26.2.17, accurate to 1e-7. */
function normal(z: number): number {
  const t = 1 / (1 + 0.2316419 * z);
  const tail = [0.31938153, -0.356563782, 1.781477937, -1.821255978, 1.330274429];
  const sum = tail.reduce((total, coefficient, power) => total + coefficient * t ** (power + 1), 0);
  return 1 - (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * sum;
}

test("the statistical test separates different samples from equal ones", () => {
  const values = Array.from({ length: 2000 }, () => randomBytes(4).readUInt32LE());
  const same = Array.from({ length: 2000 }, () => randomBytes(4).readUInt32LE());
  const later = same.map((value) => value + 4e8);
  expect(mannWhitney(values, later)).toBeLessThan(0.001);
  // By hand: of 1, 2 against 3, 4 the statistic is 0, 1.549 deviations below its mean of 2.
  expect(mannWhitney([1, 2], [3, 4])).toBeCloseTo(0.1213, 3);
});

test("rejecting a key takes as long whether it shares nothing or almost everything with a valid one", async () => {
  const store = await openStoreIn(temporaryDirectory());
  const ring = createKeyRing(store.keys, {
    now: Date.now,
    randomBytes,
    upkeepFailed: () => undefined,
  });
  let names = 0;
  const makeKey = () =>
    ring.create({ name: `key ${++names}`, scopes: ["read"], expiresAtMs: undefined });
  const timed = async (key: string): Promise<number> => {
    const startedAt = process.hrtime.bigint();
    await ring.authenticate(key);
    return Number(process.hrtime.bigint() - startedAt);
  };
  const round = async (): Promise<number> => {
    const families: (readonly [far: string[], near: string[]])[] = [];
    for (let valid = 0; valid < VALID_KEYS; valid++) {
      const key = await makeKey();
      // 29 of 30 letters are right, or none except by chance. Both kinds come in families of similar strings,
      // because the processor adapts to repeated ones; so a family counts once, not each string.
      const strange = `tgk_${randomText(29)}`;
      const letters = Array.from(BASE62).filter((each) => each !== key[33]);
      const ends = letters.slice(0, FAMILY);
      const like = (begin: string): string[] => ends.map((letter) => withChecksum(begin + letter));
      families.push([like(strange), like(key.slice(0, 33))]);
    }
    const nanos = families.map((): [far: number[], near: number[]] => [[], []]);
    for (let turn = 0; turn < TURNS; turn++) {
      for (const [number, family] of families.entries()) {
        const order = Math.random() < 0.5 ? ([0, 1] as const) : ([1, 0] as const);
        for (const side of order) {
          for (const key of family[side]) nanos[number]?.[side].push(await timed(key));
        }
      }
    }
    const ofSide = (side: 0 | 1): number[] => nanos.map((times) => median(times[side]));
    return mannWhitney(ofSide(0), ofSide(1));
  };
  // One round in a hundred is below 0.01 by chance alone, three of them one in a million.
  let probability = 0;
  for (let rounds = 0; rounds < 3 && probability < 0.01; rounds++) probability = await round();
  expect(probability).toBeGreaterThanOrEqual(0.01);
});

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0;
}
