/** Limits concurrent requests, so that many of them leave room for others. */

/** Runs tasks in order, at most `most` at once. */
export function createTurns(most: number): <Value>(work: () => Promise<Value>) => Promise<Value> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running >= most) await new Promise<void>((resolve) => void waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      // The next task takes over the slot.
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
