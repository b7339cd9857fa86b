import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, isOutage } from "./api-error.ts";
import { CHANGES } from "./client.ts";
import { noteAnswer, noteGone, noteOutage } from "./outage.ts";

/** What has come of a question so far. The value of the last one stays while the next is asked. */
export interface Asked<Value> {
  readonly value: Value | undefined;
  /** What the value answers. */
  readonly question: string | undefined;
  /** Why the service refused; an outage is none, see `useOutage`. */
  readonly error: ApiError | undefined;
  readonly isAsking: boolean;
}

interface AskOptions<Value> {
  /** Asks again when it changes. */
  readonly version?: number;
  /** How long an answer stands before it is asked for again; `undefined`: until the page is looked at again. */
  readonly everyMs?: (value: Value) => number | undefined;
}

/** From one try to the next while the service is away. */
const RETRY_MS = 1500;

/** Whoever comes back to the page after that sees what has happened meanwhile. */
const STALE_MS = 10_000;

/** Some have megabytes. */
const ANSWERS_MAX = 50;

/** The last answers, shown at once when their question comes back, while it is asked again. */
const answers = new Map<string, { readonly value: unknown }>();

/** Forgets what was answered to somebody else. */
export function forgetAnswers(): void {
  answers.clear();
}

/**
 * Asks when `question` changes, while the service is away until it answers, and again when the network
 * or the person comes back. A question that is not wanted any more is aborted. `subject` and `question`
 * have to say everything that `askFor` depends on; where `question` is empty, nothing is asked.
 */
export function useAnswer<Value>(
  subject: string,
  question: string,
  askFor: (signal: AbortSignal) => Promise<Value>,
  { version = 0, everyMs }: AskOptions<Value> = {},
): Asked<Value> {
  const name = `${subject} ${question}`;
  const [asked, setAsked] = useState<Asked<Value>>(() => lastAnswer(name, question) ?? NOTHING);
  const [isAway, setAway] = useState(false);
  const [turn, setTurn] = useState(0);
  const asker = useRef({}).current;
  useEffect(() => () => noteGone(asker), []);
  const askAgain = (): void => setTurn((last) => last + 1);
  useEffect(() => {
    if (question === "") return undefined;
    const abort = new AbortController();
    const { signal } = abort;
    setAsked((last) => ({ ...(lastAnswer<Value>(name, question) ?? last), isAsking: true }));
    const succeed = (value: Value): void => {
      if (signal.aborted) return;
      keep(name, value);
      noteAnswer(asker);
      setAway(false);
      setAsked({ value, question, error: undefined, isAsking: false });
    };
    const fail = (error: unknown): void => {
      if (signal.aborted) return;
      if (!(error instanceof ApiError)) throw error;
      const isOut = isOutage(error);
      if (isOut) noteOutage(asker, error.message);
      else noteAnswer(asker);
      setAway(isOut);
      setAsked((last) => ({ ...last, error: isOut ? undefined : error, isAsking: false }));
    };
    askFor(signal).then(succeed, fail);
    if (CHANGES) askWhenBack(askAgain, signal);
    return () => abort.abort();
  }, [name, version, turn]);
  const pauseMs = isAway ? RETRY_MS : asked.value && everyMs?.(asked.value);
  useEffect(() => {
    if (asked.isAsking || question === "" || pauseMs === undefined) return undefined;
    const timer = setTimeout(askAgain, pauseMs);
    return () => clearTimeout(timer);
  }, [asked, pauseMs, question]);
  return asked;
}

/** Calls when the network is back, and when the person is, after a while. */
function askWhenBack(call: () => void, signal: AbortSignal): void {
  const sinceMs = Date.now();
  addEventListener("online", call, { signal });
  addEventListener(
    "visibilitychange",
    () => {
      if (!document.hidden && Date.now() - sinceMs > STALE_MS) call();
    },
    { signal },
  );
}

function lastAnswer<Value>(name: string, question: string): Asked<Value> | undefined {
  const known = answers.get(name);
  if (known === undefined) return undefined;
  return { value: known.value as Value, question, error: undefined, isAsking: true };
}

/** Keeps the newest; the map has them in their order. */
function keep(name: string, value: unknown): void {
  answers.delete(name);
  answers.set(name, { value });
  if (answers.size <= ANSWERS_MAX) return;
  const [oldest = ""] = answers.keys();
  answers.delete(oldest);
}

const NOTHING = { value: undefined, question: undefined, error: undefined, isAsking: true };
