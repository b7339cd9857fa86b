import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { openMemoryStore } from "../../test/support/memory-store/memory-store.ts";
import { createKeyRing } from "./keys.ts";

const HOUR_MS = 3_600_000;

async function createRing(expiresAtMs?: number) {
  const { keys } = openMemoryStore();
  let nowMs = 1_700_000_000_000;
  const effects = { now: () => nowMs, randomBytes, upkeepFailed: () => undefined };
  const ring = createKeyRing(keys, effects);
  const key = await ring.create({ name: "anna", scopes: ["read", "write"], expiresAtMs });
  const session = ring.createSession(key) ?? "";
  return { keys, effects, ring, key, session, pass: (ms: number) => void (nowMs += ms) };
}

test("a session has the name and the scopes of its key, in every process on the same store", async () => {
  const { keys, effects, session } = await createRing();
  const other = createKeyRing(keys, effects);
  expect(await other.authenticate(session)).toMatchObject({
    accepted: true,
    key: { name: "anna", scopes: ["read", "write"] },
  });
});

test("a session ends after 12 hours", async () => {
  const { ring, session, pass } = await createRing();
  pass(12 * HOUR_MS - 1);
  expect(await ring.authenticate(session)).toMatchObject({ accepted: true });
  pass(1);
  expect(await ring.authenticate(session)).toEqual({ accepted: false, reason: "expired" });
});

test("a session ends when its key is revoked or expires", async () => {
  const { ring, session } = await createRing();
  expect(await ring.authenticate(session)).toMatchObject({ accepted: true });
  await ring.revoke("anna");
  expect(await ring.authenticate(session)).toEqual({ accepted: false, reason: "revoked" });
  const short = await createRing(1_700_000_000_000 + HOUR_MS);
  short.pass(HOUR_MS);
  expect(await short.ring.authenticate(short.session)).toEqual({
    accepted: false,
    reason: "expired",
  });
});

test("a session starts no other", async () => {
  const { ring, session } = await createRing();
  expect(ring.createSession(session)).toBeUndefined();
});

test("a changed session is refused, whichever byte it is", async () => {
  const { ring, session } = await createRing();
  const bytes = Buffer.from(session.slice(4), "base64url");
  for (let index = 0; index < bytes.length; index++) {
    const changed = Buffer.from(bytes);
    changed[index] = (changed[index] ?? 0) ^ 1;
    const answer = await ring.authenticate(`tgs_${changed.toString("base64url")}`);
    expect(answer).toEqual({ accepted: false, reason: "unknown" });
  }
  for (const text of ["tgs_", "tgs_x", session.slice(0, -1), `tgs_${"A".repeat(8000)}`]) {
    expect(await ring.authenticate(text)).toEqual({ accepted: false, reason: "unknown" });
  }
});

test("a session shows neither its key nor the stored digest", async () => {
  const { keys, key, session } = await createRing();
  const [stored] = await keys.list();
  const bytes = Buffer.from(session.slice(4), "base64url");
  expect(bytes.includes(key.slice(4, 12))).toBe(false);
  expect(bytes.includes(Buffer.from(stored?.digest ?? "", "hex").subarray(0, 8))).toBe(false);
});

test("a key of another store is unknown", async () => {
  const { session } = await createRing();
  const other = await createRing();
  expect(await other.ring.authenticate(session)).toEqual({ accepted: false, reason: "unknown" });
});

function made(): string {
  return `tgs_${randomBytes(84).toString("base64url")}`;
}

test("made-up sessions list the keys once a second, and new keys are found after it", async () => {
  const { keys, effects, session, pass } = await createRing();
  let lists = 0;
  const list = async () => {
    lists += 1;
    return keys.list();
  };
  const other = createKeyRing({ ...keys, list }, effects);
  // All at once, and as the first requests after a start.
  const first = await Promise.all(
    [made(), session, made()].map((each) => other.authenticate(each)),
  );
  expect(first.map(({ accepted }) => accepted)).toEqual([false, true, false]);
  for (let index = 0; index < 10; index++) await other.authenticate(made());
  expect(lists).toBe(1);
  const third = createKeyRing(keys, effects);
  const key = await third.create({ name: "ben", scopes: ["read"], expiresAtMs: undefined });
  pass(1000);
  const later = third.createSession(key) ?? "";
  expect(await other.authenticate(later)).toMatchObject({ accepted: true });
  expect(lists).toBe(2);
});

test("a made-up session is refused by a store whose list of keys takes longer than a second", async () => {
  const { keys, effects, pass } = await createRing();
  let lists = 0;
  const list = async () => {
    lists += 1;
    if (lists > 4) throw new Error("the keys are listed again and again");
    pass(1500);
    return keys.list();
  };
  const slow = createKeyRing({ ...keys, list }, effects);
  for (const expected of [1, 2]) {
    expect(await slow.authenticate(made())).toEqual({ accepted: false, reason: "unknown" });
    expect(lists).toBe(expected);
  }
});
