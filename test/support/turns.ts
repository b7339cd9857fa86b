import type { EndpointIndex, Snapshot } from "../../src/store/snapshot.ts";

/** How often the event loop turned during `work`. */
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

/** The same snapshot, but reading each endpoint takes longer than a time slice. */
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
