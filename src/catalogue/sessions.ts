/**
 * Sessions: texts that stand for a key for a while. Nothing is stored. A session holds its key encrypted under the
 * digest that the store has of it, so neither a session nor a copy of the store gives a key, and neither makes a session.
 */

import { createCipheriv, createDecipheriv, hash } from "node:crypto";
import { LruCache } from "../concurrency/lru-cache.ts";
import type { Keys } from "../store/store.ts";

const PREFIX = "tgs_";

export const SESSION_SECONDS = 12 * 60 * 60;

/** Bytes: which key, when it ends (milliseconds), nonce, encrypted key, tag. */
const [ID_END, HEAD_END, NONCE_END, TAG_BYTES] = [8, 16, 28, 16];

const CIPHER = "aes-256-gcm";

export interface Session {
  readonly keyText: string;
  readonly endsAtMs: number;
}

export interface Sessions {
  create(keyText: string): string;
  /** `undefined`: not a session of a key of this store, or changed since. It may have ended. */
  open(text: string): Promise<Session | undefined>;
}

interface SessionEffects {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Cryptographically strong random bytes. */
  readonly randomBytes: (sizeBytes: number) => Uint8Array;
}

export function isSessionText(text: string): boolean {
  return text.startsWith(PREFIX);
}

export function createSessions(
  keys: Pick<Keys, "list">,
  { now, randomBytes }: SessionEffects,
): Sessions {
  const opened = new LruCache<string, Session>(SESSIONS_REMEMBERED);
  const digestOf = createDigestIndex(keys, now);
  return {
    create(keyText) {
      const digest = hash("sha256", keyText);
      const head = Buffer.alloc(HEAD_END);
      idOf(digest).copy(head);
      head.writeBigUInt64BE(BigInt(now() + SESSION_SECONDS * 1000), ID_END);
      const nonce = randomBytes(NONCE_END - HEAD_END);
      const cipher = createCipheriv(CIPHER, secretOf(digest), nonce).setAAD(head);
      const parts = [head, nonce, cipher.update(keyText), cipher.final(), cipher.getAuthTag()];
      const text = PREFIX + Buffer.concat(parts).toString("base64url");
      opened.set(text, sessionOf(head, keyText));
      return text;
    },
    async open(text) {
      const known = opened.get(text);
      if (known !== undefined) return known;
      const bytes = Buffer.from(text.slice(PREFIX.length), "base64url");
      if (bytes.length <= NONCE_END + TAG_BYTES) return undefined;
      const digest = await digestOf(bytes.subarray(0, ID_END));
      const keyText = digest && decrypted(bytes, digest);
      if (keyText === undefined) return undefined;
      const session = sessionOf(bytes, keyText);
      opened.set(text, session);
      return session;
    },
  };
}

const SESSIONS_REMEMBERED = 1024;

function sessionOf(head: Buffer, keyText: string): Session {
  return { keyText, endsAtMs: Number(head.readBigUInt64BE(ID_END)) };
}

/** Made-up sessions must not make the server list and hash all keys each time. */
const LIST_EVERY_MS = 1000;

interface Listed {
  readonly atMs: number;
  /** By id, in hex. */
  readonly digests: Promise<ReadonlyMap<string, string>>;
}

/** Returns the digest of the key with an id. Lists keys at most once a second; one that another process makes is known after that. */
function createDigestIndex({ list }: Pick<Keys, "list">, now: () => number) {
  let last: Listed | undefined;
  const read = async (): Promise<ReadonlyMap<string, string>> => {
    try {
      return new Map((await list()).map(({ digest }) => [idOf(digest).toString("hex"), digest]));
    } catch (error) {
      last = undefined;
      throw error;
    }
  };
  return async (id: Buffer): Promise<string | undefined> => {
    const before = last;
    for (;;) {
      const listed = last;
      const found = (await listed?.digests)?.get(id.toString("hex"));
      // One that began since the question is recent, however long it took.
      const isRecent =
        listed !== undefined &&
        (listed !== before || Math.abs(now() - listed.atMs) < LIST_EVERY_MS);
      if (found !== undefined || isRecent) return found;
      if (last === listed) last = { atMs: now(), digests: read() };
    }
  };
}

function decrypted(bytes: Buffer, digest: string): string | undefined {
  const tagAt = bytes.length - TAG_BYTES;
  const nonce = bytes.subarray(HEAD_END, NONCE_END);
  const decipher = createDecipheriv(CIPHER, secretOf(digest), nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(bytes.subarray(0, HEAD_END)).setAuthTag(bytes.subarray(tagAt));
  try {
    return (
      decipher.update(bytes.subarray(NONCE_END, tagAt), undefined, "utf8") + decipher.final("utf8")
    );
  } catch {
    return undefined;
  }
}

/** Tells which key it is, but not its digest. */
function idOf(digest: string): Buffer {
  return hash("sha256", `session id ${digest}`, "buffer").subarray(0, ID_END);
}

function secretOf(digest: string): Buffer {
  return hash("sha256", `session secret ${digest}`, "buffer");
}
