import { ALL_SECONDS, type SecondRange } from "../model/second-range.ts";
import { withSnapshot, type Snapshots } from "../series/open-snapshot.ts";
import type { GeneratorUsers } from "../store/snapshot.ts";
import { UserParts } from "./user-parts.ts";

/**
 * Active users of a load test over all generators, as changes: ascending by second; seconds in between keep
 * the number of the previous point.
 */
export interface UserSeries {
  /** See `Snapshot.revision`. */
  readonly revision: string;
  readonly points: readonly UserPoint[];
}

interface UserPoint {
  readonly second: number;
  readonly users: number;
}

/**
 * Reads the active users within `range`. A generator that reports its users keeps the last number until the
 * next one, up to its last second; one that reports arrivals and departures has in each second those active
 * at any moment of it. Sources add up, except in the second in which a file was split. Throws
 * `unknown-load-test`.
 */
export async function readUsers(
  points: Snapshots,
  { loadTestId, range }: { readonly loadTestId: string; readonly range: SecondRange },
): Promise<UserSeries> {
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
    return { revision: snapshot.revision, points: cut(pointsOf(steps), range) };
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
