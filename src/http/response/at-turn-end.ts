/**
 * Returns a function that calls back at the end of this turn of the event loop with the result of `ask`,
 * called once for all that wait: after the last request read in this turn, so that each request sees what
 * was acknowledged before it was sent. If `ask` throws, the result is `undefined`.
 */
export function atTurnEnd(ask: () => unknown): (use: (answer: unknown) => void) => void {
  let waiting: ((answer: unknown) => void)[] = [];
  const callAll = (): void => {
    const uses = waiting;
    waiting = [];
    let answer: unknown;
    try {
      answer = ask();
    } catch {
      // Callers that need the error call `ask` themselves.
    }
    for (const use of uses) use(answer);
  };
  return (use) => {
    if (waiting.length === 0) setImmediate(callAll);
    waiting.push(use);
  };
}
