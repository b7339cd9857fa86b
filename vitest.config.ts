import { defineConfig } from "vitest/config";

const resultsFile = process.env["TACHOGRAPH_TEST_RESULTS"];

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "page/src/**/*.test.ts", "test/**/*.test.ts"],
    testTimeout: 30_000,
    reporters:
      resultsFile === undefined ? ["default"] : ["default", ["json", { outputFile: resultsFile }]],
  },
});
