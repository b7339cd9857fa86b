import { useEffect, useState } from "preact/hooks";
import { ApiError } from "./client.ts";

/** What has come of a question so far. The value of the last one stays while the next is asked. */
export interface Asked<Value> {
  readonly value: Value | undefined;
  /** What the value answers. */
  readonly question: string | undefined;
  readonly error: ApiError | undefined;
  readonly isAsking: boolean;
}

/**
 * Asks when `question` changes, and again when `version` does. A question that is not wanted any more
 * is aborted. `question` has to say everything that `askFor` depends on; empty, nothing is asked.
 */
export function useAnswer<Value>(
  question: string,
  askFor: (signal: AbortSignal) => Promise<Value>,
  version = 0,
): Asked<Value> {
  const [asked, setAsked] = useState<Asked<Value>>(NOTHING);
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
      },
    );
    return () => abort.abort();
  }, [question, version]);
  return asked;
}

const NOTHING = { value: undefined, question: undefined, error: undefined, isAsking: true };
