/** Times of a key or a link, in words. */

import type { AccessKey } from "../api/keys.ts";
import { day, dayAndTime } from "../format/times.ts";

const [MINUTE_MS, HOUR_MS, DAY_MS] = [60_000, 3_600_000, 86_400_000];

/** Creation: `Today 14:33`, `Mon 2 Nov 2026`. */
export function createdText({ createdAt }: Pick<AccessKey, "createdAt">, nowMs: number): string {
  return nearText(Date.parse(createdAt), nowMs);
}

/** Last use: `2 min ago`, `Today 14:31`, `Mon 2 Nov 2026`; `not yet` for a new key. */
export function lastUsedText(
  { createdAt, lastUsedAt }: Pick<AccessKey, "createdAt" | "lastUsedAt">,
  nowMs: number,
): string {
  if (lastUsedAt === null) return nowMs - Date.parse(createdAt) < DAY_MS ? "not yet" : "never";
  const ageMs = nowMs - Date.parse(lastUsedAt);
  if (ageMs < MINUTE_MS) return "just now";
  if (ageMs < HOUR_MS) return `${Math.floor(ageMs / MINUTE_MS)} min ago`;
  return nearText(Date.parse(lastUsedAt), nowMs);
}

/** The day it expires, or that it has expired. */
export function expiresText({ expiresAt }: Pick<AccessKey, "expiresAt">, nowMs: number): string {
  if (expiresAt === null) return "never";
  const atMs = Date.parse(expiresAt);
  return `${atMs <= nowMs ? "expired " : ""}${day(Math.floor(atMs / 1000), "local")}`;
}

/** With the time for today and yesterday, otherwise the date alone. */
function nearText(atMs: number, nowMs: number): string {
  const [second, now] = [Math.floor(atMs / 1000), Math.floor(nowMs / 1000)];
  const text = dayAndTime(second, now, "local");
  return /^(Today|Yesterday) /.test(text) ? text : day(second, "local");
}
