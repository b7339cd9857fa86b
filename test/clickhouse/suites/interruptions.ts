import type { ClickHouseParts } from "../../../src/store/clickhouse/parts.ts";

/** An event at one call of many. */
export interface Interruption {
  /** Index of the call, from 0. */
  readonly at: number;
  /** Before or after the call. It may throw. */
  readonly when: "before" | "after";
  readonly happen: () => Promise<void> | void;
}

/** Methods that ask a server. */
const ASKING: ReadonlySet<string | symbol> = new Set([
  "readOn",
  "copyOn",
  "insert",
  "standing",
  "required",
  "set",
]);

/** The same parts, with one call to the servers interrupted. */
export function interruptedParts(
  parts: ClickHouseParts,
  { at, when, happen }: Interruption,
): ClickHouseParts {
  let calls = 0;
  const watched = <Part extends object>(part: Part): Part =>
    new Proxy(part, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== "function") return member;
        return (...words: unknown[]): unknown => {
          const call = (): unknown => Reflect.apply(member, target, words);
          return ASKING.has(name) ? interrupted(call) : call();
        };
      },
    });
  const interrupted = async (call: () => unknown): Promise<unknown> => {
    const isThisOne = calls++ === at;
    if (isThisOne && when === "before") await happen();
    const answer = await call();
    if (isThisOne && when === "after") await happen();
    return answer;
  };
  const { cluster, attributes } = parts;
  const shards = cluster.shards.map(watched);
  const other = new Proxy(cluster, {
    get: (target, name) => (name === "shards" ? shards : Reflect.get(target, name, target)),
  });
  return { ...parts, cluster: other, attributes: watched(attributes) };
}
