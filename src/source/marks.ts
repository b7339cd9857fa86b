import { createCipheriv } from "node:crypto";

/** A mark follows at the first line end after 1/32 of the length of what is marked, */
const GAP_SHARE = 1 / 32;
/** or so many bytes later, where there is no line end. */
const LINE_BYTES_MAX = 64 * 1024;
const DIGEST_BYTES = 4.5;
const DIGEST_CHARACTERS = (DIGEST_BYTES * 4) / 3;
const NEWLINE = 0x0a;

/** Public: a mark recognises bytes, it does not vouch for them (docs/decisions/007). */
const KEY = Buffer.from("tachograph marks");
const NONCE = Buffer.alloc(12);

/** Computes the marks of a source (`model/marks.ts`) on its way. */
export class Marks {
  /** The marks of what was given until now. */
  text = "";
  /** Position of the last mark, 0 where there is none. */
  lastMarkAt = 0;
  #sizeBytes = 0;
  #segment = createCipheriv("aes-128-gcm", KEY, NONCE);

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

  /** Where in `bytes` the next mark stands; `undefined` where it comes later. */
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
    this.#segment = createCipheriv("aes-128-gcm", KEY, NONCE).setAAD(digest);
  }
}
