import type { LoadTest } from "../api/load-tests.ts";
import { askDigests, type Digests } from "../api/tests.ts";
import { useAnswer } from "../api/use-answer.ts";

const AGAIN_MS = 300;

/** Digests of the listed load tests by id, as far as they are known: one request for a hundred. */
export function useDigests(loadTests: readonly LoadTest[]): Digests {
  const ids = loadTests.map(({ id }) => id);
  const question = JSON.stringify(loadTests.map(({ id, lastDataAt }) => [id, lastDataAt]));
  const { value } = useAnswer(
    "digests",
    ids.length === 0 ? "" : question,
    (signal) => askDigests(ids, signal),
    { everyMs: ({ isComplete }) => (isComplete ? undefined : AGAIN_MS) },
  );
  return value ?? NONE;
}

const NONE: Digests = { byId: new Map(), isComplete: false };
