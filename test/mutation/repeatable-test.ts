/** A test that can be run repeatedly, with its hooks. */

import { type RunnerTestCase, type RunnerTestSuite, TestRunner } from "vitest";

type Act = () => unknown;

/** Where vitest stores the `onTestFinished` callbacks of a test, which its types leave out. */
interface Finishing {
  readonly onFinished?: ((context: unknown) => unknown)[];
}

/** Runs the test again from a clean state; throws what it throws. */
export async function runAgain(test: RunnerTestCase): Promise<void> {
  await act([...suitesOf(test)], "afterEach", test);
  await act([...suitesOf(test)].toReversed(), "beforeEach", test);
  await TestRunner.getTestFn(test)();
}

/** Runs the test's `onTestFinished` callbacks; ignores their errors, which a mutant may cause. */
export async function finish(test: RunnerTestCase): Promise<void> {
  const handlers = (test as Finishing).onFinished?.splice(0).toReversed() ?? [];
  for (const handler of handlers) {
    try {
      await handler(test.context);
    } catch {
      // The mutant's outcome is already known.
    }
  }
}

async function act(
  suites: readonly RunnerTestSuite[],
  kind: "afterEach" | "beforeEach",
  test: RunnerTestCase,
): Promise<void> {
  const acts = suites.flatMap((suite): Act[] =>
    TestRunner.getSuiteHooks(suite)[kind].map((hook) => () => hook(test.context, suite)),
  );
  for (const each of acts) await each();
}

/** From the innermost outwards. */
function* suitesOf(test: RunnerTestCase): Generator<RunnerTestSuite> {
  for (let suite = test.suite; suite !== undefined; suite = suite.suite) yield suite;
  yield test.file;
}
