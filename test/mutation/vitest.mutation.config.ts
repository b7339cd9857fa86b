import { readFileSync } from "node:fs";
import path from "node:path";
import { defineConfig, type Plugin } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { findMutants } from "./find-mutants.ts";
import { instrument } from "./instrument.ts";
import { readTask } from "./task.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");

const task = readTask(process.env);

/** Puts all mutants of a file beside the original, before its types are stripped. */
function mutate(): Plugin {
  return {
    name: "mutate",
    enforce: "pre",
    // The compiled form of a file depends on the task.
    configureVitest({ defineCacheKeyGenerator }) {
      defineCacheKeyGenerator(({ id }) => task.files[path.relative(ROOT, id)] ?? "as it is");
    },
    load(id) {
      const file = path.relative(ROOT, id);
      if (task.files[file] === undefined) return undefined;
      const source = readFileSync(id, "utf8");
      return instrument(file, source, findMutants(source));
    },
  };
}

/** The order of the tests in the task: fast ones first. */
class AsNamed extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const order = Object.keys(task.tests);
    const placeOf = ({ moduleId }: TestSpecification) =>
      order.indexOf(path.relative(ROOT, moduleId));
    return files.toSorted((left, right) => placeOf(left) - placeOf(right));
  }
}

export default defineConfig({
  root: ROOT,
  plugins: [mutate()],
  test: {
    include: Object.keys(task.tests),
    runner: path.join(import.meta.dirname, "mutating-runner.ts"),
    sequence: { sequencer: AsNamed },
    fsModuleCache: true,
    pool: "forks",
    maxWorkers: 1,
    testTimeout: 60_000,
    bail: task.mutant === undefined ? 0 : 1,
    reporters: ["dot"],
  },
});
