/** What a process notes in the store while it works on something. */
interface Lease {
  readonly by?: string | undefined;
  /** By the time of day. Changes with each renewal. */
  readonly untilMs?: number | undefined;
}

interface LeaseSettings {
  /** A process that does not renew a lease for this time has ended. */
  readonly lastsMs: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Monotonic. */
  readonly clockMs: () => number;
}

interface SeenLease extends Lease {
  readonly atMs: number;
}

/**
 * Which leases of other processes have ended: those that had when their process was first seen, and those that were seen unchanged for as
 * long as leases last, wherever the clock was set meanwhile.
 */
export class Leases {
  readonly #settings: LeaseSettings;
  /** By what they are of. */
  readonly #seen = new Map<string, SeenLease>();
  /** Processes seen alive: few, as each lives for long. */
  readonly #alive = new Set<string | undefined>();

  constructor(settings: LeaseSettings) {
    this.#settings = settings;
  }

  isHeld(id: string, { by, untilMs = 0 }: Lease): boolean {
    const { lastsMs, now, clockMs } = this.#settings;
    const seen = this.#seen.get(id);
    if (untilMs === 0) return false;
    if (seen?.by === by && seen?.untilMs === untilMs) return clockMs() - seen.atMs < lastsMs;
    const ageMs = this.#alive.has(by) ? 0 : Math.max(0, now() + lastsMs - untilMs);
    if (ageMs >= lastsMs) return false;
    this.#alive.add(by);
    this.#seen.set(id, { by, untilMs, atMs: clockMs() - ageMs });
    return true;
  }

  forgetOthers(ids: ReadonlySet<string>): void {
    for (const id of this.#seen.keys()) if (!ids.has(id)) this.#seen.delete(id);
  }
}
