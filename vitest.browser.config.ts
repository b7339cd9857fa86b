import { defineConfig } from "vitest/config";

// The page in a real browser: needs Chromium, and the page to be built.
export default defineConfig({
  test: { include: ["test/page/*.browser.ts"], testTimeout: 60_000, hookTimeout: 60_000 },
});
