import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

type Reporters = ("default" | ["json", { outputFile: string }])[];

/** What is printed, and where the results are written for a program if that is wanted. */
export function reporters(resultsFile: string | undefined): Reporters {
  return resultsFile === undefined
    ? ["default"]
    : ["default", ["json", { outputFile: resultsFile }]];
}

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "page/{src,report}/**/*.test.ts", "test/**/*.test.ts"],
    // Files share a worker and its modules: a test undoes what it changes in them.
    isolate: false,
    setupFiles: ["test/keep-type-stripping.ts"],
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    // Tests spend about a third of the time waiting for programs that they start, and for clocks.
    maxWorkers: availableParallelism() + 1,
    // For what hangs: no test is to fail because the machine is busy.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    reporters: reporters(process.env["TACHOGRAPH_TEST_RESULTS"]),
  },
});
