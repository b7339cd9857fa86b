import { expect, test } from "vitest";
import { uploadId } from "./uploads.ts";

test.each([
  ["search-soak-2026.jtl.gz", "search-soak-2026-rs"],
  ["../../etc/passwd", "etc-passwd-rs"],
  ["лог.csv", "upload-rs"],
  [`${"x".repeat(300)}.json`, `${"x".repeat(80)}-rs`],
])("%s becomes the id %s", (name, id) => {
  expect(uploadId(name, 1000)).toBe(id);
  expect(id).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
});
