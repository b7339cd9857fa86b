import { ClickHouseError } from "./clickhouse-error.ts";
import type { NativeBlock } from "../native/native-block.ts";
import type { Node } from "./node.ts";
import type { Replica } from "./replica-round.ts";
import { firstOf, type Round } from "./until-done.ts";

export interface NodeAnswer {
  readonly node: Node;
  readonly blocks: readonly NativeBlock[];
}

/**
 * How long to wait after the first response, so that a hanging server does not delay the others.
 */
const STRAGGLE_MS_MAX = 3000;

/**
 * Queries all `replicas` in parallel. The round succeeds if at least one responds. Replicas that are much
 * slower than the first are aborted and count as failed.
 */
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
