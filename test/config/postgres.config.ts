import { defineConfig } from "vitest/config";
import { reporters } from "../../vitest.config.ts";

// A real PostgreSQL server for each file.
export default defineConfig({
  test: {
    include: ["test/postgres/**/*.postgres.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    reporters: reporters(process.env["TACHOGRAPH_POSTGRES_TEST_RESULTS"]),
  },
});
