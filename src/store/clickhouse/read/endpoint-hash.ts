/** Endpoints are identified by the SHA-1 of their label, as in the API. */

import { hash } from "node:crypto";

const HASHES_MAX = 200_000;

const hashes = new Map<string, string>();

/** 40 lower-case hexadecimal digits. */
export function endpointHash(label: string): string {
  const known = hashes.get(label);
  if (known !== undefined) return known;
  if (hashes.size >= HASHES_MAX) hashes.clear();
  const computed = hash("sha1", label);
  hashes.set(label, computed);
  return computed;
}
