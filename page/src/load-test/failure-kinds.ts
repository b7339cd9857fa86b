import type { EndpointFailures } from "../api/figures.ts";

/** A kind of failure over several endpoints. */
export interface KindOfFailure {
  readonly code: string;
  readonly message: string;
  readonly failed: number;
  /** First and last UNIX second; `undefined` where it is not known. */
  readonly from: number | undefined;
  readonly until: number | undefined;
  /** Of the endpoints that have it, the one with the most first. */
  readonly labels: readonly string[];
}

interface Part {
  readonly label: string;
  readonly code: string;
  readonly message: string;
  readonly failed: number;
  readonly from: number | undefined;
  readonly until: number | undefined;
}

/** The same kinds of several endpoints put together, the most frequent first. */
export function kindsOf(failures: readonly EndpointFailures[]): readonly KindOfFailure[] {
  const parts = failures.flatMap(partsOf);
  const groups = Map.groupBy(parts, ({ code, message }) => JSON.stringify([code, message]));
  return [...groups.values()]
    .flatMap((group) => merged(group.toSorted((left, right) => right.failed - left.failed)))
    .toSorted((left, right) => right.failed - left.failed);
}

function partsOf({ label, kinds, withoutKind }: EndpointFailures): readonly Part[] {
  const told = kinds.map(({ code, message, count, from, until }) => {
    return { label, code, message, failed: count, from, until };
  });
  const untold = { label, code: "", message: UNTOLD, failed: withoutKind };
  return withoutKind === 0 ? told : [...told, { ...untold, from: undefined, until: undefined }];
}

const UNTOLD = "(the source does not say why)";

function merged(parts: readonly Part[]): KindOfFailure[] {
  const [most] = parts;
  if (most === undefined) return [];
  const begins = parts.flatMap(({ from }) => from ?? []);
  const ends = parts.flatMap(({ until }) => until ?? []);
  const { code, message } = most;
  return [
    {
      code,
      message,
      failed: parts.reduce((sum, { failed }) => sum + failed, 0),
      from: begins.length === 0 ? undefined : Math.min(...begins),
      until: ends.length === 0 ? undefined : Math.max(...ends),
      labels: parts.map(({ label }) => label),
    },
  ];
}
