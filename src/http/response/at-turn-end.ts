/**
 * Answers a function that calls back at the end of this turn of the event loop with what `ask` answers
 * then. However many wait, it is asked once: after the last of the requests that this turn has read, so
 * that each of them sees what was acknowledged before it was sent. Where `ask` throws, it is `undefined`.
 */
export function atTurnEnd(ask: () => unknown): (use: (answer: unknown) => void) => void {
  let waiting: ((answer: unknown) => void)[] = [];
  const callAll = (): void => {
    const uses = waiting;
    waiting = [];
    const answer = answerOf(ask);
    for (const use of uses) use(answer);
  };
  return (use) => {
    if (waiting.length === 0) setImmediate(callAll);
    waiting.push(use);
  };
}

function answerOf(ask: () => unknown): unknown {
  try {
    return ask();
  } catch {
    // Whoever needs to know why asks again.
    return undefined;
  }
}
