/** A test that can be run again, with what it asks to be done before and after. */

import { type RunnerTestCase, type RunnerTestSuite, TestRunner } from "vitest";

type Act = () => unknown;

/** What vitest keeps on a test for `onTestFinished`, which its types do not say. */
interface Finishing {
  readonly onFinished?: ((context: unknown) => unknown)[];
}

/** Runs the test once more, as if it had not run; throws what it throws. */
export async function runAgain(test: RunnerTestCase): Promise<void> {
  await act([...suitesOf(test)], "afterEach", test);
  await act([...suitesOf(test)].toReversed(), "beforeEach", test);
  await TestRunner.getTestFn(test)();
}

/** Does what the test asked to be done when it has finished; a mutant may have spoiled that. */
export async function finish(test: RunnerTestCase): Promise<void> {
  const handlers = (test as Finishing).onFinished?.splice(0).toReversed() ?? [];
  for (const handler of handlers) {
    try {
      await handler(test.context);
    } catch {
      // Whether a mutant is noticed is known by now.
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
