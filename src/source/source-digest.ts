import { createCipheriv, createHash } from "node:crypto";

/** The first bytes of a source, or all of an earlier one. */
export interface Beginning {
  readonly sizeBytes: number;
  /** `gmac:` and 32 hex digits (docs/decisions/007), or the 64 of a SHA-256. */
  readonly digest: string;
}

/** What identifies the bytes of a source, as they were given. */
export interface Digests {
  readonly sizeBytes: number;
  /** `gmac:` and 32 hex digits. */
  readonly digest: string;
  /** Of the beginnings that were asked for: those with which the source begins. */
  readonly beginnings: ReadonlySet<Beginning>;
}

const KIND = "gmac:";
/** Public: the digest recognises bytes, it does not vouch for them. */
const KEY = Buffer.from("tachograph bytes");
const NONCE = Buffer.alloc(12);

/** Digests a source, and tells with which earlier sources it begins: a file may have grown. */
export class SourceDigest {
  readonly #whole = gmac();
  readonly #prefixes: Prefix[];
  readonly #beginnings: readonly Beginning[];
  #sizeBytes = 0;

  constructor(beginnings: readonly Beginning[] = []) {
    this.#beginnings = beginnings;
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
    this.#whole.update(bytes);
    this.#sizeBytes += bytes.length;
  }

  /** The digests of what was given; nothing can be added afterwards. */
  finish(): Digests {
    const found = new Set(this.#prefixes.map((prefix) => prefix.finish()));
    const isFound = ({ sizeBytes, digest }: Beginning) => found.has(`${sizeBytes} ${digest}`);
    return {
      sizeBytes: this.#sizeBytes,
      digest: this.#whole.finish(),
      beginnings: new Set(this.#beginnings.filter(isFound)),
    };
  }
}

/** The first `sizeBytes` bytes of a source on their way. */
class Prefix {
  readonly #sizeBytes: number;
  readonly #hash: RunningHash;
  #missing: number;

  constructor(sizeBytes: number, hash: RunningHash) {
    this.#sizeBytes = sizeBytes;
    this.#missing = sizeBytes;
    this.#hash = hash;
  }

  update(bytes: Uint8Array): void {
    if (this.#missing === 0) return;
    const wanted = bytes.subarray(0, this.#missing);
    this.#hash.update(wanted);
    this.#missing -= wanted.length;
  }

  /** Size and digest; `undefined` where the source is shorter. */
  finish(): string | undefined {
    return this.#missing === 0 ? `${this.#sizeBytes} ${this.#hash.finish()}` : undefined;
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
