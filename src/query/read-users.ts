import { ALL_SECONDS, type SecondRange } from "../model/second-range.ts";
import { type Snapshots, withSnapshot } from "../series/open-snapshot.ts";
import type { GeneratorUsers } from "../store/snapshot.ts";

/** A change of the number of active users; the seconds up to the next one keep it. */
export interface UserPoint {
  readonly second: number;
  readonly users: number;
}

/**
 * Reads the active users of all generators within `range`, by ascending second. A generator that reports its users keeps
 * the last number until the next one, up to its last second; one that reports arrivals and departures has in each second
 * those active at any moment of it. Sources add up, except in the second in which a file was split. Throws
 * `unknown-load-test`.
 */
export async function readUsers(
  points: Snapshots,
  { loadTestId, range }: { readonly loadTestId: string; readonly range: SecondRange },
): Promise<readonly UserPoint[]> {
  return withSnapshot(points, { loadTestId }, async (snapshot) => {
    /** Changes of the number of users at the start of a second. */
    const steps = new Map<number, number>();
    const parts = new UserParts();
    // Reads everything: the number at the start of the range depends on earlier changes.
    for await (const generator of snapshot.users(ALL_SECONDS)) {
      addSteps(generator, steps);
      parts.add(generator);
    }
    for (const { second, countedTwice } of parts.overlaps()) {
      addStep(steps, second, -countedTwice);
      addStep(steps, second + 1, countedTwice);
    }
    return cut(pointsOf(steps), range);
  });
}

function addSteps({ second, active, started, ended }: GeneratorUsers, steps: Map<number, number>) {
  let before = 0;
  for (let row = 0; row < second.length; row++) {
    const at = second[row] as number;
    const now = active[row] as number;
    addStep(steps, at, now - before + (started[row] as number));
    // A departing user was still active in this second.
    addStep(steps, at + 1, -(ended[row] as number));
    before = now;
  }
  const last = second.at(-1);
  if (last !== undefined) addStep(steps, last + 1, -before);
}

function addStep(steps: Map<number, number>, at: number, step: number): void {
  steps.set(at, (steps.get(at) ?? 0) + step);
}

function pointsOf(steps: ReadonlyMap<number, number>): UserPoint[] {
  const ordered = [...steps].toSorted(([left], [right]) => left - right);
  const points: UserPoint[] = [];
  let users = 0;
  for (const [second, step] of ordered) {
    users += step;
    if (users !== (points.at(-1)?.users ?? 0)) points.push({ second, users });
  }
  return points;
}

/** Returns the points within the range; the number before it becomes its first point. */
function cut(points: readonly UserPoint[], { from, until }: SecondRange): UserPoint[] {
  const first = points.findIndex(({ second }) => second >= from);
  const before = first < 0 ? points.at(-1) : points[first - 1];
  const within = points.filter(({ second }) => second >= from && second < until);
  const isHeld = before !== undefined && before.users > 0 && within[0]?.second !== from;
  return isHeld ? [{ second: from, users: before.users }, ...within] : within;
}

/** A second in which two parts of one file both report active users. */
interface UserOverlap {
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

/** Finds files that were split: a source begins in the second in which another of its generator ends. If more overlap, users differ. */
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
