import { hash } from "node:crypto";
import type { Coding } from "./negotiation.ts";

/** A strong entity tag: the same for the same parts and coding, quotes included. */
export function entityTag(parts: readonly string[], coding: Coding): string {
  // Digests are of one length, so that nobody has to quote a whole body to tell where parts end.
  const digests = parts.map((part) => hash("sha256", part)).join("");
  const digest = hash("sha256", digests, "base64url").slice(0, 22);
  return coding === "identity" ? `"${digest}"` : `"${digest}-${coding}"`;
}

const LISTED_TAG = /(?:W\/)?("[\x21\x23-\x7E\x80-\xFF]*")/g;

/** Whether an `If-None-Match` header names `tag`; the comparison is weak, as RFC 9110 wants here. */
export function matchesTag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch === tag) return true;
  if (ifNoneMatch.trim() === "*") return true;
  return [...ifNoneMatch.matchAll(LISTED_TAG)].some((listed) => listed[1] === tag);
}
