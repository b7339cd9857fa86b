import type { UserCounts } from "../model/active-users.ts";

interface OpenSecond {
  readonly generator: number;
  readonly second: number;
  active: number;
  started: number;
  ended: number;
}

/** Gathers active users by (generator, second). */
export class UserCounter {
  readonly #open = new Map<number, OpenSecond>();
  #last: OpenSecond | undefined;

  addActive(generator: number, second: number, active: number): void {
    const open = this.#openSecond(generator, second);
    if (active > open.active) open.active = active;
  }

  addChanges(generator: number, second: number, started: number, ended: number): void {
    const open = this.#openSecond(generator, second);
    open.started += started;
    open.ended += ended;
  }

  /** Gives away what has gathered, sorted by (generator, second), and begins anew. */
  flush(): UserCounts {
    const rows = [...this.#open.values()].toSorted(
      (left, right) => left.generator - right.generator || left.second - right.second,
    );
    this.#open.clear();
    this.#last = undefined;
    return {
      generator: Uint32Array.from(rows, ({ generator }) => generator),
      second: Uint32Array.from(rows, ({ second }) => second),
      active: Float64Array.from(rows, ({ active }) => active),
      started: Float64Array.from(rows, ({ started }) => started),
      ended: Float64Array.from(rows, ({ ended }) => ended),
    };
  }

  /** Mostly the same as before: rows of a source come by time. */
  #openSecond(generator: number, second: number): OpenSecond {
    const last = this.#last;
    if (last?.second === second && last.generator === generator) return last;
    const key = generator * 2 ** 32 + second;
    const found = this.#open.get(key) ?? { generator, second, active: 0, started: 0, ended: 0 };
    this.#open.set(key, found);
    this.#last = found;
    return found;
  }
}
