const PART_LENGTH_MAX = 80;

/**
 * An id for a file's load test: the valid characters of its name and the time, so that the same name can be
 * uploaded again.
 */
export function uploadId(fileName: string, nowMs: number): string {
  const [stem = ""] = fileName.split(/\.(?:jtl|csv|json|xml|log|gz|zst|txt|bin)\b/i);
  const part = stem
    .replaceAll(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[-.]+/, "")
    .slice(0, PART_LENGTH_MAX);
  return `${part === "" ? "upload" : part}-${nowMs.toString(36)}`;
}
