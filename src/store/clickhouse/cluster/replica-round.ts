import { ClickHouseError } from "./clickhouse-error.ts";
import type { Fitness, NodeHealth } from "./health.ts";
import type { Node } from "./node.ts";
import { firstOf, type Round } from "./until-done.ts";
import type { NativeBlock } from "../native/native-block.ts";

/** A server whose rows other servers have, too. */
export interface Replica {
  readonly node: Node;
  readonly health: NodeHealth;
}

/**
 * Calls `attempt` on `replicas` until one succeeds: first those that are fit, in the given order, then those
 * that are behind, least delay first, and last those that failed recently. A replica with unknown delay is
 * never read, and written to only if no other accepts the write: the others cannot replicate from it for some
 * seconds, so that none would have everything.
 */
export function replicaRound<Result>(
  replicas: readonly Replica[],
  attempt: (replica: Replica) => Promise<Result>,
  doing: "read the store" | "write to the store",
): Promise<Round<Result>> {
  // A single replica is always up to date.
  if (replicas.length === 1) return firstOf(replicas, attempt, doing);
  const { up = [], down = [] } = Object.groupBy(replicas, ({ health }) =>
    health.isDown ? "down" : "up",
  );
  const late: Candidate[] = [];
  function* candidates(): Generator<Candidate> {
    for (const group of [up, down]) {
      for (const replica of group) yield { replica, delaySeconds: undefined };
      yield* late.splice(0).toSorted((a, b) => (a.delaySeconds ?? 0) - (b.delaySeconds ?? 0));
    }
  }
  const attemptIfFit = async ({ replica, delaySeconds }: Candidate): Promise<Result> => {
    if (delaySeconds !== undefined) return attempt(replica);
    const fitness = await replica.health.fitness();
    if (fitness.state === "fit") return attempt(replica);
    if (fitness.state === "behind" || doing === "write to the store") {
      late.push({ replica, delaySeconds: fitness.delaySeconds });
    }
    throw behind(replica.node, fitness);
  };
  return firstOf(candidates(), attemptIfFit, doing);
}

interface Candidate {
  readonly replica: Replica;
  /** Set if it is known to be behind. */
  readonly delaySeconds: number | undefined;
}

function behind({ url }: Node, { state, delaySeconds }: Fitness): ClickHouseError {
  const how = state === "lost" ? "unknown how far" : `by ${delaySeconds} s`;
  const options = { remedy: "passing", meaning: "store-behind" } as const;
  return new ClickHouseError(`${url}: its tables are out of date, ${how}`, undefined, options);
}

export interface NodeAnswer {
  readonly node: Node;
  readonly blocks: readonly NativeBlock[];
}

/** How long to wait after the first response, so that a hanging server does not delay the others. */
const STRAGGLE_MS_MAX = 3000;

/** Queries all `replicas` in parallel; one must respond. Much slower ones are aborted and count as failed. */
export async function askEach(
  replicas: readonly Replica[],
  ask: (replica: Replica, signal: AbortSignal) => Promise<readonly NativeBlock[]>,
  { doing, signal }: { readonly doing: string; readonly signal: AbortSignal | undefined },
): Promise<Round<readonly NodeAnswer[]>> {
  let timer: NodeJS.Timeout | undefined;
  const late = replicas.map(() => new AbortController());
  const breakOff = (): void => {
    for (const [index, { node }] of replicas.entries()) {
      const reason = `${node.url}: silent for ${STRAGGLE_MS_MAX} ms while others answered`;
      late[index]?.abort(new ClickHouseError(reason, undefined));
    }
  };
  const asked = replicas.map(async (replica, index): Promise<NodeAnswer> => {
    const signals = [signal, late[index]?.signal].filter((each) => each !== undefined);
    const blocks = await ask(replica, AbortSignal.any(signals));
    timer ??= setTimeout(breakOff, STRAGGLE_MS_MAX);
    return { node: replica.node, blocks };
  });
  const settled = await Promise.allSettled(asked);
  clearTimeout(timer);
  const result = settled.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  return result.length > 0 ? { result } : firstOf(settled, valueOf, doing);
}

async function valueOf(settled: PromiseSettledResult<NodeAnswer>): Promise<readonly NodeAnswer[]> {
  if (settled.status === "rejected") throw settled.reason;
  return [settled.value];
}
