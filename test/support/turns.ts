import type { EndpointIndex, Snapshot } from "../../src/store/snapshot.ts";

/** Whether long work lets other work of the process have its turn. */

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
    async index() {
      const index = await snapshot.index();
      return {
        ...index,
        scan: ((...parameters: Parameters<EndpointIndex["scan"]>) =>
          eachSlowly(index.scan(...parameters))) as EndpointIndex["scan"],
      };
    },
    read: ((...parameters: Parameters<Snapshot["read"]>) =>
      eachSlowly(snapshot.read(...parameters))) as Snapshot["read"],
    failures: (...parameters) => eachSlowly(snapshot.failures(...parameters)),
  };
}

async function* eachSlowly<Item>(items: AsyncIterable<Item>): AsyncIterable<Item> {
  for await (const item of items) {
    const startedAtMs = performance.now();
    while (performance.now() - startedAtMs < 6);
    yield item;
  }
}
