/**
 * Finds sources with distributions that earlier versions invented, although the source records only averages.
 */

import type { StoredSource } from "./catalogue/sources.ts";

/**
 * Which part of a source is invented: everything from Locust's history; everything from Artillery unless
 * version 1 measured it; windows of JMeter's merged samples.
 */
export type Invented = "locust" | "artillery" | "windows";

/**
 * `undefined`: nothing. Published sources that list what they lack have nothing invented. Live sources never
 * list it, so the format decides; what current versions store for these formats stays as it is.
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
