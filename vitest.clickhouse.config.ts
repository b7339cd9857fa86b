import { defineConfig } from "vitest/config";
import { reporters } from "./vitest.config.ts";

// Real ClickHouse servers: test/clickhouse/run.ts looks for them and then runs a part of these.
export default defineConfig({
  test: {
    include: ["test/clickhouse/**/*.clickhouse.ts"],
    testTimeout: 180_000,
    hookTimeout: 120_000,
    // Servers a file: more of them at once than cores only make each other late.
    maxWorkers: 2,
    // The kernel ends a server with the thread that started it: that has to be a process' only one.
    pool: "forks",
    reporters: reporters(process.env["TACHOGRAPH_CLICKHOUSE_TEST_RESULTS"]),
  },
});
