/** Whether long work lets other work of the process have its turn. */

import type { Snapshot } from "../../src/store/store.ts";

/** How often the event loop turned while `work` was done. */
export async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await work();
  isOver = true;
  return turns;
}

/** The same snapshot where each endpoint takes longer to be read than a turn may. */
export function slowly(snapshot: Snapshot): Snapshot {
  return {
    ...snapshot,
    read: ((...wish: Parameters<Snapshot["read"]>) =>
      eachSlowly(snapshot.read(...wish))) as Snapshot["read"],
    failures: (...wish) => eachSlowly(snapshot.failures(...wish)),
  };
}

async function* eachSlowly<Item>(items: AsyncIterable<Item>): AsyncIterable<Item> {
  for await (const item of items) {
    const startedAtMs = performance.now();
    while (performance.now() - startedAtMs < 6);
    yield item;
  }
}
