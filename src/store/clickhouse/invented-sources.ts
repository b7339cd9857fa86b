/** Sources whose distributions earlier programs made up, since the source records only averages. */

import type { StoredSource } from "./catalogue/sources.ts";

/**
 * What is made up in a source: by Locust's history all; by Artillery all, unless version 1 measured it;
 * by JMeter's merged samples that of windows.
 */
export type Invented = "locust" | "artillery" | "windows";

/**
 * `undefined`: nothing. A published source that says what it lacks has nothing made up. Live sources
 * never say it, so the format decides; what today's programs store of these formats stays as it is.
 */
export function inventedIn({
  published,
  batches,
}: Pick<StoredSource, "published" | "batches">): Invented | undefined {
  if (published?.quality !== undefined) return undefined;
  const format = published === undefined ? batches?.about.format : published.format;
  if (format === "locust-history") return "locust";
  if (format === "artillery-json") return "artillery";
  return format?.endsWith("line-protocol") === true ? "windows" : undefined;
}
