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
  /** Starts a session of a valid key. */
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
  /** Opening one lists all keys. */
  const opened = new LruCache<string, Session>(SESSIONS_REMEMBERED);
  return {
    create(keyText) {
      const digest = hash("sha256", keyText);
      const head = Buffer.alloc(HEAD_END);
      idOf(digest).copy(head);
      head.writeBigUInt64BE(BigInt(now() + SESSION_SECONDS * 1000), ID_END);
      const nonce = randomBytes(NONCE_END - HEAD_END);
      const cipher = createCipheriv(CIPHER, secretOf(digest), nonce).setAAD(head);
      const parts = [head, nonce, cipher.update(keyText), cipher.final(), cipher.getAuthTag()];
      return PREFIX + Buffer.concat(parts).toString("base64url");
    },
    async open(text) {
      const known = opened.get(text);
      if (known !== undefined) return known;
      const bytes = Buffer.from(text.slice(PREFIX.length), "base64url");
      if (bytes.length <= NONCE_END + TAG_BYTES) return undefined;
      const id = bytes.subarray(0, ID_END);
      const key = (await keys.list()).find(({ digest }) => idOf(digest).equals(id));
      const keyText = key && decrypted(bytes, key.digest);
      if (keyText === undefined) return undefined;
      const session = { keyText, endsAtMs: Number(bytes.readBigUInt64BE(ID_END)) };
      opened.set(text, session);
      return session;
    },
  };
}

const SESSIONS_REMEMBERED = 1024;

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
