/** Work that ends where the process is asked to. */

import type { SourceReading, SourcesSnapshot } from "../../store/store.ts";
import { TimeSlice } from "../time-slice.ts";

/**
 * The same sources, which throw the reason of `interrupted` as soon as there is one. They let the event
 * loop turn, without which nobody is told of a signal: a store in a file answers without waiting.
 */
export function interruptibleSources(
  snapshot: SourcesSnapshot,
  interrupted: AbortSignal,
): SourcesSnapshot {
  const slice = new TimeSlice();

  async function* inTurns<Value>(values: AsyncIterable<Value>): AsyncGenerator<Value> {
    for await (const value of values) {
      if (slice.isOver()) await slice.next();
      interrupted.throwIfAborted();
      yield value;
    }
  }

  const openSource = (source: SourceReading): SourceReading => ({
    ...source,
    endpoints: () => unlessInterrupted(source.endpoints(), interrupted),
    // The overloads of `read` promise what `detail` chooses; one body cannot say so in types.
    read: (endpoints, range, detail) =>
      inTurns(source.read(endpoints, range, detail as "distribution")) as AsyncGenerator<never>,
    failures: (endpoints, range) => inTurns(source.failures(endpoints, range)),
    users: (range) => inTurns(source.users(range)),
  });

  return { ...snapshot, sources: snapshot.sources.map(openSource) };
}

/** What `work` comes to, unless that comes too late: then it goes on, and nobody waits for it. */
export async function unlessInterrupted<Result>(
  work: Promise<Result>,
  interrupted: AbortSignal,
): Promise<Result> {
  const { promise: interruption, reject } = Promise.withResolvers<never>();
  const interrupt = (): void => reject(interrupted.reason);
  interrupted.addEventListener("abort", interrupt);
  if (interrupted.aborted) interrupt();
  try {
    return await Promise.race([work, interruption]);
  } finally {
    interrupted.removeEventListener("abort", interrupt);
  }
}
