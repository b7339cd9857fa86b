/** Lets questions wait for each other, so that many of them leave room for others. */

/** Runs what it is given, at most `most` at once, in the order in which they came. */
export function createTurns(most: number): <Value>(work: () => Promise<Value>) => Promise<Value> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running >= most) await new Promise<void>((resolve) => void waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      // The next one takes the place over.
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
