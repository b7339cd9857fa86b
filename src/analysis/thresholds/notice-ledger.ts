import { Mutex } from "../../concurrency/mutex.ts";
import { UserError } from "../../model/errors.ts";
import type { StoredText } from "../../store/store.ts";
import { Leases } from "./leases.ts";
import type { WindowNotice } from "./notice.ts";

/** A process that has not said for this time that it posts a notice has ended. */
const LEASE_MS = 30_000;

/** How long it is remembered that a notice was posted, and of how many. */
const REMEMBERED_MS = 30 * 24 * 60 * 60 * 1000;
const NOTES_MAX = 1000;

/** Another process writes between a read and the write that depends on it. */
const ATTEMPTS_MAX = 50;

interface LedgerDependencies {
  readonly notes: StoredText;
  /** Posts a notice to targets that are not `done`; see `NoticeSender.send`. */
  readonly send: (
    notice: WindowNotice,
    done: readonly string[],
    settled: (target: string) => Promise<void>,
  ) => Promise<boolean>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Monotonic. */
  readonly clockMs: () => number;
  /** Different for each process that ever runs. */
  readonly process: string;
}

interface Pending {
  readonly notice: WindowNotice;
  /** Targets that have it. */
  readonly done: readonly string[];
  readonly by: string;
  readonly untilMs: number;
}

interface Note {
  readonly atMs: number;
  /** Absent once it is posted, or given up. */
  readonly pending?: Pending;
}

type Notes = Readonly<Record<string, Note>>;

interface Change {
  readonly next: (notes: Notes) => Notes | undefined;
  readonly resolve: (isDone: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Posts each notice once, whichever processes ask for it, and goes on with those whose process ended. Only a process that is killed
 * between the answer of a receiver and the note of it posts twice: receivers know such a notice by its `id`.
 */
export class NoticeLedger {
  readonly #dependencies: LedgerDependencies;
  /** Under way here, by id. */
  readonly #posting = new Map<string, Promise<void>>();
  readonly #changing = new Mutex();
  readonly #leases: Leases;
  #waiting: readonly Change[] = [];

  constructor(dependencies: LedgerDependencies) {
    this.#dependencies = dependencies;
    this.#leases = new Leases({ ...dependencies, lastsMs: LEASE_MS });
  }

  /** Resolves when it is noted: it is then posted in the background, here or by another process. */
  async post(notice: WindowNotice): Promise<void> {
    const { id } = notice;
    const isOwn = await this.#change((notes) => {
      const known = notes[id];
      return known === undefined ? this.#claimed(id, { notice, done: [] }, notes) : undefined;
    });
    if (isOwn) this.#begin(notice, []);
  }

  /** Says that this process is alive, and goes on with what others left. Call it several times in `LEASE_MS`. */
  async tend(): Promise<void> {
    const all = Object.entries(parse(await this.#dependencies.notes.find()));
    this.#leases.forgetOthers(new Set(all.map(([id]) => id)));
    await Promise.all(all.map(([id, { pending }]) => this.#tendOne(id, pending)));
  }

  async #tendOne(id: string, pending: Pending | undefined): Promise<void> {
    if (pending === undefined) return;
    const isHere = this.#posting.has(id);
    const isOthers = !isHere && pending.by !== this.#dependencies.process;
    if (isOthers && this.#leases.isHeld(id, pending)) return;
    let taken = pending;
    const isOwn = await this.#change((notes) => {
      const present = notes[id]?.pending;
      const isFree = present?.by === pending.by && present.untilMs === pending.untilMs;
      if (!isFree) return undefined;
      taken = present;
      return this.#claimed(id, present, notes);
    });
    if (isOwn && !isHere) this.#begin(taken.notice, taken.done);
  }

  /** Waits until those under way here are posted, given up, or left to the next process. */
  async settle(): Promise<void> {
    await Promise.all(this.#posting.values());
  }

  #begin(notice: WindowNotice, done: readonly string[]): void {
    const posting = this.#post(notice, done).finally(() => this.#posting.delete(notice.id));
    this.#posting.set(notice.id, posting);
  }

  /** Never rejects: what cannot be noted is posted again. */
  async #post(notice: WindowNotice, done: readonly string[]): Promise<void> {
    const { send } = this.#dependencies;
    const { id } = notice;
    try {
      const isDone = await send(notice, done, async (target) => {
        await this.#change((notes) => {
          const present = notes[id]?.pending;
          if (present === undefined) return undefined;
          const own = { notice, done: [...present.done, target] };
          return this.#claimed(id, own, notes);
        });
      });
      await this.#change((notes) => {
        const present = notes[id];
        if (present?.pending === undefined) return undefined;
        const { atMs, pending } = present;
        const left = isDone ? { atMs } : { atMs, pending: { ...pending, untilMs: 0 } };
        return { ...notes, [id]: left };
      });
    } catch {
      return;
    }
  }

  #claimed(
    id: string,
    { notice, done }: { readonly notice: WindowNotice; readonly done: readonly string[] },
    notes: Notes,
  ): Notes {
    const { now, process } = this.#dependencies;
    const atMs = notes[id]?.atMs ?? now();
    const pending = { notice, done, by: process, untilMs: now() + LEASE_MS };
    const others = Object.entries(notes).filter(
      ([other, note]) => other !== id && now() - note.atMs < REMEMBERED_MS,
    );
    const newest =
      others.length < NOTES_MAX
        ? others
        : others.toSorted(([, left], [, right]) => right.atMs - left.atMs);
    return { ...Object.fromEntries(newest.slice(0, NOTES_MAX - 1)), [id]: { atMs, pending } };
  }

  /** Replaces the notes unless `next` returns nothing. Returns whether it did. Throws `busy`. */
  async #change(next: Change["next"]): Promise<boolean> {
    const { promise, resolve, reject } = Promise.withResolvers<boolean>();
    this.#waiting = [...this.#waiting, { next, resolve, reject }];
    await Promise.all([promise, this.#changing.run(() => this.#changeWaiting())]);
    return promise;
  }

  /** When many load tests break at once, all their notes are written together. */
  async #changeWaiting(): Promise<void> {
    const [waiting] = [this.#waiting, (this.#waiting = [])];
    if (waiting.length === 0) return;
    try {
      const done = await this.#replace(waiting);
      for (const [at, { resolve }] of waiting.entries()) resolve(done[at] === true);
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
  }

  async #replace(changes: readonly Change[]): Promise<readonly boolean[]> {
    const { notes } = this.#dependencies;
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      const present = await notes.find();
      let all = parse(present);
      const done = changes.map(({ next }) => {
        const changed = next(all);
        all = changed ?? all;
        return changed !== undefined;
      });
      if (!done.includes(true) || (await notes.replace(present, JSON.stringify(all)))) return done;
    }
    const reason = `others wrote before each of ${ATTEMPTS_MAX} attempts`;
    throw new UserError("busy", `cannot note which notices are posted: ${reason}`);
  }
}

function parse(text: string | undefined): Notes {
  return text === undefined ? {} : (JSON.parse(text) as Notes);
}
