import { createCipheriv } from "node:crypto";

/** A mark follows at the first line end after 1/32 of the marked length, */
const GAP_SHARE = 1 / 32;

/** or after this many bytes without a line end. */
const LINE_BYTES_MAX = 64 * 1024;
const DIGEST_BYTES = 4.5;
const DIGEST_CHARACTERS = (DIGEST_BYTES * 4) / 3;

const NEWLINE = 0x0a;

/** Public: a mark recognises bytes, it does not authenticate them (docs/decisions/007). */
const MARKS_KEY = Buffer.from("tachograph marks");

const NONCE = Buffer.alloc(12);

export interface Beginning {
  readonly sizeBytes: number;
  /** `gmac:` and 32 hex digits (docs/decisions/007). */
  readonly digest: string;
}

/** Beginnings found, by `beginningKey`, and whether they cover the whole source. */
type FoundBeginnings = ReadonlyMap<string, "part" | "whole">;

export interface Digests {
  readonly sizeBytes: number;
  /** `gmac:` and 32 hex digits. */
  readonly digest: string;
  /** Marks to recognise earlier states: see `model/source-quality.ts`. */
  readonly marks: string;
  readonly lastMarkAt: number;
  /** The requested beginnings that the source starts with. */
  readonly beginnings: FoundBeginnings;
}

const KIND = "gmac:";

/** Public: the digest recognises bytes, it does not authenticate them. */
const KEY = Buffer.from("tachograph bytes");

export function beginningKey({ sizeBytes, digest }: Beginning): string {
  return `${sizeBytes} ${digest}`;
}

/** Digests a source and finds the earlier sources it begins with: a file may have grown. */
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

  /** Nothing can be added afterwards. */
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

class BeginningDigests {
  readonly #prefixes: Prefix[];
  readonly #wanted: ReadonlySet<string>;
  #sizeBytes = 0;

  constructor(beginnings: readonly Beginning[]) {
    this.#wanted = new Set(beginnings.map(beginningKey));
    const lengths = new Set(beginnings.map(({ sizeBytes }) => sizeBytes));
    this.#prefixes = [...lengths].map((sizeBytes) => new Prefix(sizeBytes));
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

class Prefix {
  readonly sizeBytes: number;
  readonly #hash = gmac();
  #missing: number;

  constructor(sizeBytes: number) {
    this.sizeBytes = sizeBytes;
    this.#missing = sizeBytes;
  }

  update(bytes: Uint8Array): void {
    if (this.#missing === 0) return;
    const wanted = bytes.subarray(0, this.#missing);
    this.#hash.update(wanted);
    this.#missing -= wanted.length;
  }

  /** Its digest; `undefined` if the source is shorter. */
  finish(): string | undefined {
    return this.#missing === 0 ? this.#hash.finish() : undefined;
  }
}

interface RunningHash {
  update(bytes: Uint8Array): void;
  finish(): string;
}

/** AES-128-GMAC: the authentication tag of AES-GCM over unencrypted bytes. Finishes with `gmac:` and 32 hex digits. */
export function gmac(): RunningHash {
  const cipher = createCipheriv("aes-128-gcm", KEY, NONCE);
  return {
    update: (bytes) => cipher.setAAD(bytes),
    finish() {
      cipher.final();
      return `${KIND}${cipher.getAuthTag().toString("hex")}`;
    },
  };
}

/** Computes the marks of a source (`model/source-quality.ts`) while it is read. */
export class Marks {
  text = "";
  lastMarkAt = 0;
  #sizeBytes = 0;
  #segment = createCipheriv("aes-128-gcm", MARKS_KEY, NONCE);

  update(bytes: Uint8Array): void {
    let from = 0;
    for (let end = this.#nextMark(bytes, from); end !== undefined;) {
      this.#segment.setAAD(bytes.subarray(from, end));
      this.#mark(this.#sizeBytes + end);
      from = end;
      end = this.#nextMark(bytes, from);
    }
    if (from < bytes.length) this.#segment.setAAD(bytes.subarray(from));
    this.#sizeBytes += bytes.length;
  }

  /** Returns the position of the next mark in `bytes`; `undefined` if it comes later. */
  #nextMark(bytes: Uint8Array, from: number): number | undefined {
    const first = this.lastMarkAt + Math.floor(this.lastMarkAt * GAP_SHARE) - this.#sizeBytes;
    const last = first + LINE_BYTES_MAX;
    const newline = bytes
      .subarray(0, Math.max(last, 0))
      .indexOf(NEWLINE, Math.max(from, first - 1));
    if (newline >= 0) return newline + 1;
    return last > from && last <= bytes.length ? last : undefined;
  }

  #mark(position: number): void {
    this.#segment.final();
    const digest = this.#segment.getAuthTag();
    const shown = digest.toString("base64url").slice(0, DIGEST_CHARACTERS);
    this.text += `${position.toString(36)}.${shown}`;
    this.lastMarkAt = position;
    // A mark stands for all bytes before it.
    this.#segment = createCipheriv("aes-128-gcm", MARKS_KEY, NONCE).setAAD(digest);
  }
}
