import type { GeneratorUsers } from "../store/snapshot.ts";

/** A second in which two parts of one file both report active users. */
export interface UserOverlap {
  /** Of the later part; its first second is the shared one. */
  readonly sourceId: string;
  readonly generator: string;
  readonly second: number;
  /** The smaller of both numbers: users of the larger one. */
  readonly countedTwice: number;
}

/** First and last second in which a source reports active users. */
interface UserSpan {
  readonly sourceId: string;
  readonly first: number;
  readonly firstUsers: number;
  readonly last: number;
  readonly lastUsers: number;
}

/**
 * Finds files that were split: one source of a generator begins in the second in which another one ends.
 * Sources that share more seconds are different users.
 */
export class UserParts {
  readonly #spans = new Map<string, UserSpan[]>();

  add(users: GeneratorUsers): void {
    const span = spanOf(users);
    if (span === undefined) return;
    const own = this.#spans.get(users.generator);
    if (own === undefined) this.#spans.set(users.generator, [span]);
    else own.push(span);
  }

  /** At most one for each source of a generator. */
  *overlaps(): Generator<UserOverlap> {
    for (const [generator, spans] of this.#spans) yield* overlapsOf(generator, spans);
  }
}

/** `undefined` for arrivals and departures: each part of a split file covers only its own. */
function spanOf({ sourceId, second, active }: GeneratorUsers): UserSpan | undefined {
  const [first, last] = [second[0], second.at(-1)];
  if (first === undefined || last === undefined || active.every((users) => users === 0)) {
    return undefined;
  }
  const [firstUsers, lastUsers] = [active[0] as number, active.at(-1) as number];
  return { sourceId, first, firstUsers, last, lastUsers };
}

function* overlapsOf(generator: string, spans: readonly UserSpan[]): Generator<UserOverlap> {
  const ends: { second: number; users: number }[] = [];
  for (const span of spans.toSorted(
    (one, other) => one.first - other.first || one.last - other.last,
  )) {
    const distance = ({ users }: { readonly users: number }) => Math.abs(users - span.firstUsers);
    const [end] = ends
      .filter(({ second }) => second === span.first)
      .toSorted((one, other) => distance(one) - distance(other));
    if (end === undefined) {
      ends.push({ second: span.last, users: span.lastUsers });
      continue;
    }
    const countedTwice = Math.min(end.users, span.firstUsers);
    yield { sourceId: span.sourceId, generator, second: span.first, countedTwice };
    end.users = span.first === span.last ? Math.max(end.users, span.lastUsers) : span.lastUsers;
    end.second = span.last;
  }
}

/** The later part without the users that the earlier one reports, too. */
export function withoutOverlap(
  users: GeneratorUsers,
  { second: shared, countedTwice }: UserOverlap,
): GeneratorUsers {
  const active = users.active.with(0, (users.active[0] as number) - countedTwice);
  const next = shared + 1;
  if (users.second.length === 1 || users.second[1] === next) return { ...users, active };
  // The number of the shared second held until the next row.
  return {
    ...users,
    second: Uint32Array.from([shared, next, ...users.second.subarray(1)]),
    active: inserted(active, users.active[0] as number),
    started: inserted(users.started, 0),
    ended: inserted(users.ended, 0),
  };
}

function inserted(rows: Float64Array, added: number): Float64Array {
  return Float64Array.from([rows[0] as number, added, ...rows.subarray(1)]);
}
