import { UserError } from "../model/errors.ts";
import type { Entry, EntryAbout } from "./spool-entry.ts";

/** A batch that waits; its bytes are kept in memory only while few wait. */
export interface WaitingEntry extends EntryAbout {
  readonly packed: Entry["packed"] | undefined;
}

interface SendingWork {
  /** Throws what another attempt would meet again, and `server-unreachable`. */
  readonly send: (entry: WaitingEntry) => Promise<void>;
  readonly remove: (entry: EntryAbout) => Promise<void>;
  readonly putAside: (entry: EntryAbout) => Promise<void>;
  readonly warn: (message: string) => void;
  /** Told by how many bytes more or less wait. */
  readonly moved: (bytes: number) => void;
}

/** Batches held in memory as well as on disk; further ones are read again when their turn comes. */
const HELD_MAX = 4;

/** The batches of one source that wait, in order, and the sending of one after the other. */
export class SendingChain {
  readonly loadTestId: string;
  readonly sourceId: string;
  readonly #work: SendingWork;
  readonly #waiting: { readonly entry: WaitingEntry; readonly bytes: number }[] = [];
  #sending: Promise<void> | undefined;
  #failure: unknown;
  /** Nothing is sent before it is known what the server has, unless nothing was left over. */
  #isPaused: boolean;
  #resuming: Promise<void> | undefined;
  #lastSequence: number | undefined;

  /** `isLeftOver` says whether its first batches come from an earlier process. */
  constructor(
    about: Pick<EntryAbout, "loadTestId" | "sourceId">,
    isLeftOver: boolean,
    work: SendingWork,
  ) {
    this.loadTestId = about.loadTestId;
    this.sourceId = about.sourceId;
    this.#isPaused = isLeftOver;
    this.#work = work;
  }

  /** The number of the last batch that was sent or waits; `undefined` where there is none. */
  get lastSequence(): number | undefined {
    return this.#lastSequence;
  }

  get waiting(): readonly EntryAbout[] {
    return this.#waiting.map(({ entry }) => entry);
  }

  /** Adds a batch behind the others, and begins to send. `bytes` is how much it holds on disk. */
  add({ loadTestId, sourceId, sequence, follows, packed }: WaitingEntry, bytes: number): void {
    const held = this.#waiting.length < HELD_MAX ? packed : undefined;
    const entry = { loadTestId, sourceId, sequence, follows, packed: held };
    this.#waiting.push({ entry, bytes });
    this.#lastSequence = sequence;
    this.#work.moved(bytes);
    this.#begin();
  }

  /** Waits until nothing waits, or nothing can be sent. */
  async settled(): Promise<void> {
    while (this.#sending !== undefined) await this.#sending;
  }

  /** Throws why the chain has stopped, if it has. */
  throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  /**
   * Compares what was left over with the last batch that the server has of the source, and begins to
   * send. What the server has leaves the chain; a rest that does not continue it is put aside: the
   * file tells the same, and is read again. Does nothing where sending has begun.
   */
  async resume(stored: number | undefined): Promise<void> {
    if (this.#isPaused) this.#resuming ??= this.#continueFrom(stored);
    await this.#resuming;
  }

  async #continueFrom(stored: number | undefined): Promise<void> {
    await this.#dropWhile(({ sequence }) => stored !== undefined && sequence <= stored, "sent");
    const next = this.#waiting[0]?.entry;
    this.#lastSequence = this.#waiting.at(-1)?.entry.sequence;
    if (next !== undefined && next.follows !== (stored ?? "nothing")) {
      await this.#giveUp("they do not continue what the server has");
      this.#lastSequence = undefined;
    }
    this.#isPaused = false;
    this.#begin();
  }

  #begin(): void {
    if (this.#isPaused || this.#failure !== undefined || this.#waiting.length === 0) return;
    this.#sending ??= this.#sendAll();
  }

  /** Never rejects: what stops it is told to whoever adds the next batch. */
  async #sendAll(): Promise<void> {
    try {
      for (;;) {
        const next = this.#waiting[0];
        if (next === undefined) break;
        await this.#work.send(next.entry);
        await this.#leave(next.entry, "sent");
      }
    } catch (error) {
      this.#failure = error;
      if (isFinal(error)) await this.#giveUp(error.message);
      else this.#work.warn(error instanceof Error ? error.message : String(error));
    } finally {
      this.#sending = undefined;
      this.#work.moved(0);
    }
  }

  async #giveUp(reason: string): Promise<void> {
    const count = this.#waiting.length;
    await this.#dropWhile(() => true, "refused");
    this.#work.warn(
      `put aside what waited for load test ${this.loadTestId} (${count} in number): ${reason}`,
    );
  }

  async #dropWhile(isDropped: (entry: EntryAbout) => boolean, how: "sent" | "refused") {
    for (;;) {
      const next = this.#waiting[0];
      if (next === undefined || !isDropped(next.entry)) return;
      await this.#leave(next.entry, how);
    }
  }

  /** Somebody else may have taken it out meanwhile. */
  async #leave(entry: WaitingEntry, how: "sent" | "refused"): Promise<void> {
    await (how === "sent" ? this.#work.remove(entry) : this.#work.putAside(entry));
    if (this.#waiting[0]?.entry !== entry) return;
    const [left] = this.#waiting.splice(0, 1);
    if (left !== undefined) this.#work.moved(-left.bytes);
  }
}

/** Errors after which the same batch can never be taken; others are a matter of key or network. */
function isFinal(error: unknown): error is UserError {
  if (!(error instanceof UserError)) return false;
  return !["server-unreachable", "server-refused"].includes(error.code);
}
