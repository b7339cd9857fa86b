import { createHash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import { expect, test } from "vitest";
import type { Scope } from "../model/access-key.ts";
import { openMemoryStore } from "../../test/support/memory-store/memory-store.ts";
import type { Keys } from "../store/store.ts";
import { type KeyRing, createKeyRing, hasScope, isKeyText, isValidAt } from "./keys.ts";

const MINUTE_MS = 60_000;

test("a key has a prefix, 30 random characters and a checksum, and only its digest is stored", async () => {
  const { ring, keys } = createRing();
  const text = await ring.create(request("ci"));
  expect(text).toMatch(/^tgk_[0-9A-Za-z]{36}$/);
  const [kept] = await keys.list();
  expect(kept?.digest).toBe(createHash("sha256").update(text).digest("hex"));
  expect(JSON.stringify(kept)).not.toContain(text.slice(4, 20));
});

test("the checksum is the CRC-32 of the preceding text, in base 62", async () => {
  const text = await createRing().ring.create(request("ci"));
  const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  const checksum = Array.from(text.slice(-6), (digit) => digits.indexOf(digit));
  const value = checksum.reduce((sum, digit) => sum * 62 + digit, 0);
  expect(value).toBe(crc32(text.slice(0, -6)));
});

test("bytes that would bias the characters are discarded", async () => {
  let next = 240;
  const { ring } = createRing({
    randomBytes: (size) => Uint8Array.from({ length: size }, () => (next = (next + 1) % 256)),
  });
  // 241 to 247 stand for digits 55 to 61, then 248 to 255 are skipped (as they would stand for digits
  // 0 to 7 once more), then 0 begins again.
  expect((await ring.create(request("ci"))).slice(4, 24)).toBe("tuvwxyz0123456789ABC");
});

test("a key is accepted with its name and scopes", async () => {
  const { ring } = createRing();
  const text = await ring.create(request("ci", ["read", "write"]));
  expect(await ring.authenticate(text)).toMatchObject({
    accepted: true,
    key: { name: "ci", scopes: ["read", "write"] },
  });
});

test.each([
  ["none", undefined, "missing"],
  ["an empty one", "", "missing"],
  ["another text", "secret", "malformed"],
  ["a wrong checksum", `tgk_${"a".repeat(36)}`, "malformed"],
  ["8 KB", "a".repeat(8192), "malformed"],
  ["not ASCII", "tgk_é", "malformed"],
])("%s is refused without a look-up", async (_, text, reason) => {
  const { ring, lookUps } = createRing();
  expect(await ring.authenticate(text)).toEqual({ accepted: false, reason });
  expect(lookUps()).toBe(0);
});

test("a key of another store is unknown", async () => {
  const text = await createRing().ring.create(request("ci"));
  expect(await createRing().ring.authenticate(text)).toEqual({
    accepted: false,
    reason: "unknown",
  });
});

test("the checksum detects every change of one character", async () => {
  const text = await createRing().ring.create(request("ci"));
  for (let at = 0; at < text.length; at++) {
    for (const other of ["0", "A", "z"].filter((character) => character !== text[at])) {
      expect(isKeyText(text.slice(0, at) + other + text.slice(at + 1))).toBe(false);
    }
  }
  expect(isKeyText(text)).toBe(true);
  expect(isKeyText(`${text}\n`)).toBe(false);
});

test("a text with the right checksum but another prefix or length is not a key", () => {
  const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  const withChecksum = (body: string) => {
    let [rest, checksum] = [crc32(body), ""];
    for (let at = 0; at < 6; at++) {
      checksum = `${digits[rest % 62]}${checksum}`;
      rest = Math.floor(rest / 62);
    }
    return body + checksum;
  };
  expect(isKeyText(withChecksum(`tgk_${"a".repeat(30)}`))).toBe(true);
  for (const body of [`tgx_${"a".repeat(30)}`, `tgk_${"a".repeat(31)}`, `tgk_${"-".repeat(30)}`]) {
    expect(isKeyText(withChecksum(body))).toBe(false);
  }
});

test.each([
  ["another digest", "0".repeat(64)],
  ["a digest of another length", "0"],
])("a key that the store finds with %s is not accepted", async (_, digest) => {
  const { keys } = openMemoryStore();
  const text = await createRing().ring.create(request("ci"));
  const found = { ...request("other"), digest, createdAtMs: 1, lastUsedAtMs: undefined };
  const ring = createKeyRing(
    { ...keys, find: async () => ({ ...found, revokedAtMs: undefined }) },
    { now: () => 2, randomBytes, upkeepFailed: () => undefined },
  );
  expect(await ring.authenticate(text)).toEqual({ accepted: false, reason: "unknown" });
});

test("a key is valid until it expires, and a revoked key never", () => {
  const key = { ...request("ci"), digest: "", createdAtMs: 1, lastUsedAtMs: undefined };
  const expiring = { ...key, revokedAtMs: undefined, expiresAtMs: 1000 };
  expect(isValidAt(expiring, 999)).toBe(true);
  expect(isValidAt(expiring, 1000)).toBe(false);
  expect(isValidAt({ ...expiring, expiresAtMs: undefined }, 1000)).toBe(true);
  expect(isValidAt({ ...expiring, revokedAtMs: 5 }, 1)).toBe(false);
});

test("a revoked key is refused at once, and its name stays taken", async () => {
  const { ring } = createRing();
  const text = await ring.create(request("ci"));
  await ring.revoke("ci");
  expect(await ring.authenticate(text)).toEqual({ accepted: false, reason: "revoked" });
  await expect(ring.create(request("ci"))).rejects.toMatchObject({ code: "key-name-taken" });
  await expect(ring.revoke("other")).rejects.toMatchObject({ code: "unknown-key-name" });
});

test("a key expires at the instant it says, not before", async () => {
  const { ring, clock } = createRing();
  const text = await ring.create({ ...request("ci"), expiresAtMs: clock.nowMs + 1000 });
  clock.nowMs += 999;
  expect(await ring.authenticate(text)).toMatchObject({ accepted: true });
  clock.nowMs += 1;
  expect(await ring.authenticate(text)).toEqual({ accepted: false, reason: "expired" });
});

test("last use is written once a minute, after the response", async () => {
  const { ring, keys, clock, touches } = createRing();
  const text = await ring.create(request("ci"));
  await Promise.all(Array.from({ length: 20 }, () => ring.authenticate(text)));
  await ring.settle();
  expect(touches()).toBe(1);
  const minute = Math.floor(clock.nowMs / MINUTE_MS) * MINUTE_MS;
  expect((await keys.list())[0]?.lastUsedAtMs).toBe(minute);
  clock.nowMs = minute + MINUTE_MS;
  await ring.authenticate(text);
  await ring.settle();
  expect(touches()).toBe(2);
});

test("a failure to write the last use is reported and rejects no request", async () => {
  const failures: unknown[] = [];
  const { ring } = createRing({
    touch: async () => Promise.reject(new Error("disk full")),
    upkeepFailed: (error) => failures.push(error),
  });
  const text = await ring.create(request("ci"));
  expect(await ring.authenticate(text)).toMatchObject({ accepted: true });
  await ring.settle();
  expect(failures).toEqual([new Error("disk full")]);
});

test.each(["", " ", "a\nb", "\u001B[31m", "x".repeat(101), "\uD800", ".", ".."])(
  "%j is not a valid key name",
  async (name) => {
    await expect(createRing().ring.create(request(name))).rejects.toMatchObject({
      code: "bad-key-name",
    });
  },
);

test.each<[readonly Scope[], Scope, boolean]>([
  [["read"], "read", true],
  [["read"], "write", false],
  [["write"], "read", false],
  [["read", "write"], "admin", false],
  [["admin"], "read", true],
  [["admin"], "write", true],
])("scopes %j include %s: %s", async (scopes, scope, expected) => {
  const { ring } = createRing();
  const answer = await ring.authenticate(await ring.create(request("ci", scopes)));
  if (!answer.accepted) throw new Error("not accepted");
  expect(hasScope(answer.key, scope)).toBe(expected);
});

test.each([
  [".", 'cannot name a key ".": expected more than dots'],
  [
    "x".repeat(101),
    `cannot name a key "${"x".repeat(100)}": expected 1 to 100 characters, not blank, without control characters`,
  ],
])("rejecting a name states the name and the reason", async (name, message) => {
  await expect(createRing().ring.create(request(name))).rejects.toMatchObject({ message });
});

test("a name may have 100 characters", async () => {
  const { ring } = createRing();
  await ring.create(request("x".repeat(100)));
  expect((await ring.list()).map(({ name }) => name)).toEqual(["x".repeat(100)]);
});

test("neither the text of a key is a name, nor is a key made that may do nothing", async () => {
  const { ring } = createRing();
  const text = await ring.create(request("ci"));
  await expect(ring.create(request(text))).rejects.toMatchObject({
    code: "bad-key-name",
    message: "a key's name must not be a key itself",
  });
  await expect(ring.create(request("b", []))).rejects.toMatchObject({
    code: "bad-parameter",
    message: "cannot create a key without a scope",
  });
  expect(await ring.list()).toHaveLength(1);
});

function request(name: string, scopes: readonly Scope[] = ["read"]) {
  return { name, scopes, expiresAtMs: undefined };
}

interface RingOptions {
  readonly randomBytes?: (size: number) => Uint8Array;
  readonly touch?: () => Promise<void>;
  readonly upkeepFailed?: (error: unknown) => void;
}

function createRing(options: RingOptions = {}): {
  ring: KeyRing;
  keys: Keys;
  clock: { nowMs: number };
  lookUps: () => number;
  touches: () => number;
} {
  const { keys: memory } = openMemoryStore();
  const clock = { nowMs: 1_700_000_012_345 };
  let lookUps = 0;
  let touches = 0;
  const keys: Keys = {
    ...memory,
    find: (digest) => {
      lookUps += 1;
      return memory.find(digest);
    },
    touch: (digest, atMs) => {
      touches += 1;
      return options.touch?.() ?? memory.touch(digest, atMs);
    },
  };
  const ring = createKeyRing(keys, {
    now: () => clock.nowMs,
    randomBytes: options.randomBytes ?? randomBytes,
    upkeepFailed: options.upkeepFailed ?? (() => undefined),
  });
  return { ring, keys, clock, lookUps: () => lookUps, touches: () => touches };
}
