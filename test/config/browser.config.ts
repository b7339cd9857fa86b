import { defineConfig } from "vitest/config";
import { reporters } from "../../vitest.config.ts";

// The page in a real browser: needs Chromium, and the page to be built.
export default defineConfig({
  test: {
    include: ["test/page/*.browser.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A browser and a test that press keys at the same time: what fails twice is a fault, and the output names both.
    retry: 1,
    // Instead of 1 s, which is short for a browser on a busy machine.
    expect: { poll: { timeout: 30_000 } },
    // A browser and a server a file: more of them at once than cores only make each other late.
    maxWorkers: 2,
    reporters: reporters(process.env["TACHOGRAPH_PAGE_TEST_RESULTS"]),
  },
});
