import { useEffect, useState } from "preact/hooks";
import { ApiError, isOutage } from "./api-error.ts";

/** What has come of a question so far. The value of the last one stays while the next is asked. */
export interface Asked<Value> {
  readonly value: Value | undefined;
  /** What the value answers. */
  readonly question: string | undefined;
  readonly error: ApiError | undefined;
  readonly isAsking: boolean;
}

/** How long an outage lasts at most before the next try. */
const RETRY_MS = 1500;

/**
 * Asks when `question` changes, and again when `version` does, and during an outage until there is an
 * answer, unless `isRetried` is false. A question that is not wanted any more is aborted. `question`
 * has to say everything that `askFor` depends on; empty, nothing is asked.
 */
export function useAnswer<Value>(
  question: string,
  askFor: (signal: AbortSignal) => Promise<Value>,
  version = 0,
  isRetried = true,
): Asked<Value> {
  const [asked, setAsked] = useState<Asked<Value>>(NOTHING);
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    if (question === "") return undefined;
    const abort = new AbortController();
    setAsked((last) => ({ ...last, isAsking: true }));
    askFor(abort.signal).then(
      (value) => setAsked({ value, question, error: undefined, isAsking: false }),
      (error: unknown) => {
        if (abort.signal.aborted) return;
        if (!(error instanceof ApiError)) throw error;
        setAsked((last) => ({ ...last, error, isAsking: false }));
        if (isRetried && isOutage(error)) whenBack(() => setAttempt(attempt + 1), abort.signal);
      },
    );
    return () => abort.abort();
  }, [question, version, attempt]);
  return asked;
}

/** Calls as soon as the network is back, and after a while without that. */
function whenBack(call: () => void, signal: AbortSignal): void {
  const timer = setTimeout(call, RETRY_MS);
  addEventListener("online", call, { signal });
  signal.addEventListener("abort", () => clearTimeout(timer));
}

const NOTHING = { value: undefined, question: undefined, error: undefined, isAsking: true };
