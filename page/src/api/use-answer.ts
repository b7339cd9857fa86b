import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, isOutage } from "./api-error.ts";
import { CHANGES } from "./client.ts";
import { noteAnswer, noteGone, noteOutage } from "./outage.ts";

/** The state of a request. The previous value stays until the next answer arrives. */
export interface Asked<Value> {
  readonly value: Value | undefined;
  /** The request that `value` answers. */
  readonly question: string | undefined;
  /** Why the service refused; for outages see `useOutage`. */
  readonly error: ApiError | undefined;
  readonly isAsking: boolean;
}

interface AskOptions<Value> {
  /** Repeats the request when it changes. */
  readonly version?: number;
  /** How long an answer stays fresh; `undefined`: until the user returns to the page. */
  readonly everyMs?: (value: Value) => number | undefined;
}

/** Delay between retries during an outage. */
const RETRY_MS = 1500;

/** Returning to the page after this long refreshes it. */
const STALE_MS = 10_000;

/** Some answers have megabytes. */
const ANSWERS_MAX = 50;

/** Recent answers, shown at once when their request returns, while it is repeated. */
const answers = new Map<string, { readonly value: unknown }>();

/** Forgets answers given to another key. */
export function forgetAnswers(): void {
  answers.clear();
}

/**
 * Sends a request when `question` changes, retries during an outage, and repeats it when the network or the
 * user returns. Aborts a request no longer wanted. `subject` and `question` must contain everything that
 * `askFor` depends on; an empty `question` sends nothing.
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
  const isKnown = asked.value !== undefined;
  const pauseMs = isAway ? RETRY_MS : isKnown ? everyMs?.(asked.value) : undefined;
  useEffect(() => {
    if (asked.isAsking || question === "" || pauseMs === undefined) return undefined;
    const timer = setTimeout(askAgain, pauseMs);
    return () => clearTimeout(timer);
  }, [asked, pauseMs, question]);
  return asked;
}

/** The answer to this question; `undefined` while that to an earlier one is kept. */
export function answerTo<Value>(
  { value, question }: Pick<Asked<Value>, "value" | "question">,
  wanted: string,
): Value | undefined {
  return question === wanted ? value : undefined;
}

/** Calls back when the network returns, and when the user returns after a while. */
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

/** Keeps the newest, in the map's order. */
function keep(name: string, value: unknown): void {
  answers.delete(name);
  answers.set(name, { value });
  if (answers.size <= ANSWERS_MAX) return;
  const [oldest = ""] = answers.keys();
  answers.delete(oldest);
}

const NOTHING = { value: undefined, question: undefined, error: undefined, isAsking: true };
