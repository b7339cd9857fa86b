import { defineConfig } from "vitest/config";
import { reporters } from "../../vitest.config.ts";

// The package as people install it: needs a package registry.
export default defineConfig({
  test: {
    include: ["test/outside/*.outside.ts"],
    globalSetup: ["test/outside/pack.ts"],
    testTimeout: 120_000,
    hookTimeout: 300_000,
    // Installations and servers: beside each other they only make each other late.
    fileParallelism: false,
    reporters: reporters(process.env["TACHOGRAPH_OUTSIDE_TEST_RESULTS"]),
  },
});
