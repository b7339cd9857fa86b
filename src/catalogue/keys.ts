import { hash, timingSafeEqual } from "node:crypto";
import { crc32 } from "node:zlib";
import { LruCache } from "../concurrency/lru-cache.ts";
import { Mutex } from "../concurrency/mutex.ts";
import type { AccessKey, Scope } from "../model/access-key.ts";
import { badParameter, UserError } from "../model/errors.ts";
import type { Keys } from "../store/store.ts";
import { createSessions, isSessionText, type Session } from "./sessions.ts";

/** Prefixes of keys and of links, so that leaked ones can be searched for. */
const [PREFIX, LINK_PREFIX] = ["tgk_", "tgl_"];

const RANDOM_LENGTH = 30;
const CHECKSUM_LENGTH = 6;

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

const KEY = new RegExp(`^tg[kl]_[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`);

/** Matches keys, links and sessions in a text, including truncated ones. */
const KEYS_IN_TEXT = /(tg[kls]_)[\w-]+/g;

const NAME_LENGTH_MAX = 100;

const MINUTE_MS = 60_000;

/** Clock, randomness and error reports. */
export interface KeyRingEffects {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Cryptographically strong random bytes. */
  readonly randomBytes: (sizeBytes: number) => Uint8Array;
  /** Called if a time of last use could not be written, or expired keys not deleted; requests continue. */
  readonly upkeepFailed: (error: unknown) => void;
}

interface KeyRequest {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Milliseconds since the epoch; `undefined`: never expires. */
  readonly expiresAtMs: number | undefined;
  /** Of `createKeyText`, not stored yet. @default a new one */
  readonly text?: string;
  /** Makes a link, which opens only these. */
  readonly loadTestIds?: readonly string[];
  /** See `AccessKey.loadTestTimesMs`. */
  readonly loadTestTimesMs?: readonly number[];
  /** See `AccessKey.opensFiles`. */
  readonly opensFiles?: boolean | undefined;
  /** See `AccessKey.project`. */
  readonly project?: string | undefined;
  /** See `AccessKey.isSignIn`. Deletes expired ones. */
  readonly isSignIn?: boolean;
}

/** Masks every key in a text. */
export function withoutKeys(text: string): string {
  return text.replaceAll(KEYS_IN_TEXT, "$1…");
}

/** Whether a text is a valid key, and if not, why; the reason is for the log, not for the caller. */
type Authentication =
  | {
      readonly accepted: true;
      readonly key: AccessKey;
    }
  | { readonly accepted: false; readonly reason: RefusalReason };

type RefusalReason = "missing" | "malformed" | "unknown" | "revoked" | "expired";

/** Creates, checks, lists and revokes access keys, links included. */
export interface KeyRing {
  /** Stores a new key without its text, which it returns. Throws `bad-key-name`, `key-name-taken`, `bad-parameter` without a scope. */
  create(request: KeyRequest): Promise<string>;
  /** Checks a key or a session sent by a client. Malformed keys cost no look-up. */
  authenticate(text: string | undefined): Promise<Authentication>;
  /** Starts a session of an accepted key; `undefined` for the text of a session or a link. */
  createSession(keyText: string): string | undefined;
  /** By time of creation, including revoked and expired ones. */
  list(): Promise<readonly AccessKey[]>;
  /** Immediate and permanent. Idempotent. Throws `unknown-key-name`, and what `check` does: see `Keys.revoke`. */
  revoke(name: string, check?: (keys: readonly AccessKey[]) => void): Promise<void>;
  /** Waits until all recorded times of last use are written. */
  settle(): Promise<void>;
}

export function createKeyRing(keys: Keys, effects: KeyRingEffects): KeyRing {
  const uses = createUseNotes(keys, effects);
  /** Digests of accepted texts: each use still looks up the key. */
  const digests = new LruCache<string, string>(DIGESTS_REMEMBERED);
  const sessions = createSessions(keys, effects);
  const authenticate = async (text: string | undefined): Promise<Authentication> => {
    if (text === undefined || text === "") return { accepted: false, reason: "missing" };
    const known = digests.get(text);
    if (known === undefined && !isWhole(text)) return { accepted: false, reason: "malformed" };
    const digest = known ?? digestOf(text);
    const key = await keys.find(digest);
    const nowMs = effects.now();
    const reason = refusalOf(key, digest, nowMs);
    if (key === undefined || reason !== undefined) {
      return { accepted: false, reason: reason ?? "unknown" };
    }
    if (known === undefined) digests.set(text, digest);
    uses.note(key, nowMs);
    return { accepted: true, key };
  };
  const authenticateSession = async (session: Session | undefined): Promise<Authentication> => {
    if (session === undefined) return { accepted: false, reason: "unknown" };
    if (session.endsAtMs <= effects.now()) return { accepted: false, reason: "expired" };
    return authenticate(session.keyText);
  };
  return {
    async create({ name, scopes, expiresAtMs, project, isSignIn, ...given }) {
      const { loadTestIds, loadTestTimesMs, opensFiles } = given;
      checkName(name);
      if (scopes.length === 0) {
        throw badParameter("cannot create a key without a scope");
      }
      const prefix = loadTestIds === undefined ? PREFIX : LINK_PREFIX;
      const text = given.text ?? createKeyText(effects.randomBytes, prefix);
      const times = { createdAtMs: effects.now(), expiresAtMs };
      const opens = { loadTestIds, loadTestTimesMs, opensFiles, project };
      const about = { name, scopes, ...opens, isSignIn };
      await keys.add({ ...about, digest: digestOf(text), ...times });
      if (isSignIn === true) {
        await keys.forgetExpired(times.createdAtMs).catch(effects.upkeepFailed);
      }
      return text;
    },
    async authenticate(text) {
      if (text === undefined || !isSessionText(text)) return authenticate(text);
      return authenticateSession(await sessions.open(text));
    },
    createSession: (text) =>
      isSessionText(text) || isLinkText(text) ? undefined : sessions.create(text),
    list: () => keys.list(),
    revoke: (name, check) => keys.revoke(name, effects.now(), check),
    settle: () => uses.settle(),
  };
}

const DIGESTS_REMEMBERED = 256;

/** Whether a key has a scope; `admin` includes the others. */
export function hasScope(key: AccessKey, scope: Scope): boolean {
  return key.scopes.includes(scope) || key.scopes.includes("admin");
}

/** Whether a key is valid at a time (milliseconds since the epoch). */
export function isValidAt({ revokedAtMs, expiresAtMs }: AccessKey, atMs: number): boolean {
  return revokedAtMs === undefined && (expiresAtMs === undefined || expiresAtMs > atMs);
}

/** Whether a text has the form and checksum of a key; needs no store. */
export function isKeyText(text: string): boolean {
  return isWhole(text) && !isLinkText(text);
}

/** Whether a text is meant as the key of a link, valid or not. */
export function isLinkText(text: string): boolean {
  return text.startsWith(LINK_PREFIX);
}

function isWhole(text: string): boolean {
  if (!KEY.test(text)) return false;
  const body = text.slice(0, -CHECKSUM_LENGTH);
  return text === body + checksumOf(body);
}

export function createKeyText(randomBytes: KeyRingEffects["randomBytes"], prefix = PREFIX): string {
  let body = prefix;
  while (body.length < PREFIX.length + RANDOM_LENGTH) {
    for (const byte of randomBytes(RANDOM_LENGTH)) {
      // 248 is the largest multiple of 62 in a byte: larger values would favour some characters.
      if (byte < 248 && body.length < PREFIX.length + RANDOM_LENGTH) body += BASE62[byte % 62];
    }
  }
  return body + checksumOf(body);
}

/** Returns the CRC-32 of the text in base 62, zero-padded. */
function checksumOf(text: string): string {
  let rest = crc32(text);
  let digits = "";
  while (digits.length < CHECKSUM_LENGTH) {
    digits = `${BASE62[rest % 62] ?? ""}${digits}`;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

/** A key has 178 random bits: a fast digest is as safe as a slow one. */
function digestOf(text: string): string {
  return hash("sha256", text);
}

function refusalOf(
  key: AccessKey | undefined,
  digest: string,
  nowMs: number,
): RefusalReason | undefined {
  if (key === undefined || !isEqual(key.digest, digest)) return "unknown";
  if (key.revokedAtMs !== undefined) return "revoked";
  if (key.expiresAtMs !== undefined && key.expiresAtMs <= nowMs) return "expired";
  return undefined;
}

function isEqual(left: string, right: string): boolean {
  return left.length === right.length && timingSafeEqual(Buffer.from(left), Buffer.from(right));
}

/** Every sign-in makes a key. One that is forgotten is looked up once more. */
const USES_REMEMBERED = 10_000;

/** Writes times of last use in the background, at most once per key and minute. */
function createUseNotes(
  keys: Keys,
  { upkeepFailed }: KeyRingEffects,
): { note(key: AccessKey, atMs: number): void; settle(): Promise<void> } {
  const notedMinute = new LruCache<string, number>(USES_REMEMBERED);
  const writing = new Mutex();
  return {
    note({ digest, lastUsedAtMs }, atMs) {
      const minute = Math.floor(atMs / MINUTE_MS);
      const stored = Math.floor((lastUsedAtMs ?? 0) / MINUTE_MS);
      if (Math.max(stored, notedMinute.get(digest) ?? 0) >= minute) return;
      notedMinute.set(digest, minute);
      void writing.run(() => keys.touch(digest, minute * MINUTE_MS).catch(upkeepFailed));
    },
    settle: () => writing.run(async () => undefined),
  };
}

function checkName(name: string): void {
  // Names are shown and logged, keys are not.
  if (isWhole(name)) {
    throw new UserError("bad-key-name", "a key's name must not be a key itself");
  }
  // In a URL path these two are relative segments.
  if (name === "." || name === "..") {
    throw new UserError("bad-key-name", `cannot name a key "${name}": expected more than dots`);
  }
  const hasControls = /\p{Cc}/u.test(name);
  if (name.trim() === "" || name.length > NAME_LENGTH_MAX || hasControls || !name.isWellFormed()) {
    throw new UserError(
      "bad-key-name",
      `cannot name a key ${JSON.stringify(name.slice(0, NAME_LENGTH_MAX))}: expected 1 to ` +
        `${NAME_LENGTH_MAX} characters, not blank, without control characters`,
    );
  }
}
