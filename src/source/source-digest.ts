import { createCipheriv, createHash } from "node:crypto";
import { Marks } from "./marks.ts";

/** The first bytes of a source, or all of an earlier one. */
export interface Beginning {
  readonly sizeBytes: number;
  /** `gmac:` and 32 hex digits (docs/decisions/007), or the 64 of a SHA-256. */
  readonly digest: string;
  /** Whether it may be of bytes that are still compressed, as earlier programs stored it. */
  readonly isAsGiven?: boolean;
}

/** Beginnings that were found, by `beginningKey`, and whether they are all of the source. */
export type FoundBeginnings = ReadonlyMap<string, "part" | "whole">;

/** What identifies the plain content of a source. */
export interface Digests {
  readonly sizeBytes: number;
  /** `gmac:` and 32 hex digits. */
  readonly digest: string;
  /** What recognises earlier states of it: see `model/marks.ts`. */
  readonly marks: string;
  /** Position of the last mark. */
  readonly lastMarkAt: number;
  /** Of the beginnings that were asked for: those with which the source begins. */
  readonly beginnings: FoundBeginnings;
}

const KIND = "gmac:";
/** Public: the digest recognises bytes, it does not vouch for them. */
const KEY = Buffer.from("tachograph bytes");
const NONCE = Buffer.alloc(12);

/** What a beginning is known by. */
export function beginningKey({ sizeBytes, digest }: Beginning): string {
  return `${sizeBytes} ${digest}`;
}

/** Digests a source, and tells with which earlier sources it begins: a file may have grown. */
export class SourceDigest {
  readonly #whole = gmac();
  readonly #marks = new Marks();
  readonly #beginnings: BeginningDigests;
  #sizeBytes = 0;

  constructor(beginnings: readonly Beginning[] = []) {
    this.#beginnings = new BeginningDigests(beginnings);
  }

  update(bytes: Uint8Array): void {
    this.#beginnings.update(bytes);
    this.#marks.update(bytes);
    this.#whole.update(bytes);
    this.#sizeBytes += bytes.length;
  }

  /** The digests of what was given; nothing can be added afterwards. */
  finish(): Digests {
    return {
      sizeBytes: this.#sizeBytes,
      digest: this.#whole.finish(),
      marks: this.#marks.text,
      lastMarkAt: this.#marks.lastMarkAt,
      beginnings: this.#beginnings.finish(),
    };
  }
}

/** Tells which beginnings a source has. */
export class BeginningDigests {
  readonly #prefixes: Prefix[];
  readonly #wanted: ReadonlySet<string>;
  #sizeBytes = 0;

  constructor(beginnings: readonly Beginning[]) {
    this.#wanted = new Set(beginnings.map(beginningKey));
    const byLength = new Map<string, Prefix>();
    for (const { sizeBytes, digest } of beginnings) {
      const isGmac = digest.startsWith(KIND);
      const name = `${isGmac} ${sizeBytes}`;
      if (!byLength.has(name))
        byLength.set(name, new Prefix(sizeBytes, isGmac ? gmac() : sha256()));
    }
    this.#prefixes = [...byLength.values()];
  }

  update(bytes: Uint8Array): void {
    for (const prefix of this.#prefixes) prefix.update(bytes);
    this.#sizeBytes += bytes.length;
  }

  finish(): FoundBeginnings {
    const found = new Map<string, "part" | "whole">();
    for (const prefix of this.#prefixes) {
      const digest = prefix.finish();
      const key = digest && beginningKey({ sizeBytes: prefix.sizeBytes, digest });
      if (key === undefined || !this.#wanted.has(key)) continue;
      found.set(key, prefix.sizeBytes === this.#sizeBytes ? "whole" : "part");
    }
    return found;
  }
}

/** The first `sizeBytes` bytes of a source on their way. */
class Prefix {
  readonly sizeBytes: number;
  readonly #hash: RunningHash;
  #missing: number;

  constructor(sizeBytes: number, hash: RunningHash) {
    this.sizeBytes = sizeBytes;
    this.#missing = sizeBytes;
    this.#hash = hash;
  }

  update(bytes: Uint8Array): void {
    if (this.#missing === 0) return;
    const wanted = bytes.subarray(0, this.#missing);
    this.#hash.update(wanted);
    this.#missing -= wanted.length;
  }

  /** Its digest; `undefined` where the source is shorter. */
  finish(): string | undefined {
    return this.#missing === 0 ? this.#hash.finish() : undefined;
  }
}

interface RunningHash {
  update(bytes: Uint8Array): void;
  finish(): string;
}

/** AES-128-GMAC: the authentication tag of AES-GCM over bytes that are not encrypted. */
function gmac(): RunningHash {
  const cipher = createCipheriv("aes-128-gcm", KEY, NONCE);
  return {
    update: (bytes) => cipher.setAAD(bytes),
    finish() {
      cipher.final();
      return `${KIND}${cipher.getAuthTag().toString("hex")}`;
    },
  };
}

/** Of files that were imported by an earlier program, and of the beginnings of followed ones. */
function sha256(): RunningHash {
  const hash = createHash("sha256");
  return {
    update: (bytes) => hash.update(bytes),
    finish: () => hash.digest("hex"),
  };
}
