import { ClickHouseError } from "./clickhouse-error.ts";
import type { Fitness, NodeHealth } from "./health.ts";
import type { Node } from "./node.ts";
import { firstOf, firstRound, type Round } from "./until-done.ts";

/** A server that has rows which others have too, as far as we know. */
export interface Replica {
  readonly node: Node;
  readonly health: NodeHealth;
}

/**
 * Tries to read from one of `replicas`: those that are fit come first, as they are given, then the
 * others that copy, the least late before, and last those that did not answer a moment ago.
 */
export function readRound<Result>(
  replicas: readonly Replica[],
  attempt: (replica: Replica) => Promise<Result>,
  doing: string,
): Promise<Round<Result>> {
  const late: { readonly replica: Replica; readonly delaySeconds: number }[] = [];
  const whenFit = async (replica: Replica): Promise<Result> => {
    const fitness = await replica.health.fitness();
    // Who is alone has all there is.
    if (fitness.state === "fit" || replicas.length === 1) return attempt(replica);
    if (fitness.state === "behind") late.push({ replica, delaySeconds: fitness.delaySeconds });
    throw behind(replica.node, fitness);
  };
  const leastLate = (): readonly Replica[] =>
    late.toSorted((a, b) => a.delaySeconds - b.delaySeconds).map(({ replica }) => replica);
  const { up = [], down = [] } = Object.groupBy(replicas, ({ health }) =>
    health.isDown ? "down" : "up",
  );
  return firstRound(
    () => firstOf(up, whenFit, doing),
    () => firstOf(leastLate(), attempt, doing),
    () => firstOf(down, whenFit, doing),
  );
}

function behind({ url }: Node, { state, delaySeconds }: Fitness): ClickHouseError {
  const how = state === "lost" ? "nobody knows how far" : `by ${delaySeconds} s`;
  const options = { remedy: "passing", meaning: "store-behind" } as const;
  return new ClickHouseError(`${url}: its tables are behind, ${how}`, undefined, options);
}
