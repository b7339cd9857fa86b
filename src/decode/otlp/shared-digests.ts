import { createHash, type Hash } from "node:crypto";

/**
 * Digests of the JSON of lists. Usually the first parts are those of the list before, and may be long: what two lists share from
 * their beginning on is hashed once.
 */
export class SharedDigests {
  #parts: readonly unknown[] = [];
  /** Of all parts up to each. */
  #hashes: readonly Hash[] = [];
  #digest: string | undefined;

  /** Returns SHA-256 in base64url. Parts are compared by `===` and must not change. */
  of(parts: readonly unknown[]): string {
    const other = parts.findIndex(
      (part, at) => at >= this.#parts.length || part !== this.#parts[at],
    );
    const isSame = other === -1 && parts.length === this.#parts.length;
    if (isSame && this.#digest !== undefined) return this.#digest;
    const hashes = this.#hashes.slice(0, other === -1 ? parts.length : other);
    for (const part of parts.slice(hashes.length)) {
      const before = hashes.at(-1);
      const hash = before?.copy() ?? createHash("sha256");
      hashes.push(
        hash.update(`${before === undefined ? "[" : ","}${JSON.stringify(part ?? null)}`),
      );
    }
    const whole = hashes.at(-1)?.copy() ?? createHash("sha256").update("[");
    this.#parts = parts;
    this.#hashes = hashes;
    this.#digest = whole.update("]").digest("base64url");
    return this.#digest;
  }
}
