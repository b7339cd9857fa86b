import { errorMessage, UserError } from "../model/errors.ts";
import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";

/** A waiting batch; its bytes are in memory only while few wait. */
export interface WaitingEntry extends EntryAbout {
  readonly packed: Entry["packed"] | undefined;
}

interface SendingWork {
  /** Throws permanent errors, and `server-unreachable`. */
  readonly send: (entry: WaitingEntry) => Promise<void>;
  readonly remove: (entry: EntryAbout) => Promise<void>;
  readonly putAside: (entry: EntryAbout) => Promise<void>;
  readonly warn: (message: string) => void;
  /** Called with the change of waiting bytes. */
  readonly moved: (bytes: number) => void;
}

/** Batches held in memory as well as on disk; later ones are read again when needed. */
const HELD_MAX = 4;

/** Queue of one source's waiting batches, which are sent one at a time. */
export class SendingChain {
  readonly loadTestId: string;
  readonly sourceId: string;
  readonly #work: SendingWork;
  readonly #waiting: { readonly entry: WaitingEntry; readonly bytes: number }[] = [];
  #sending: Promise<void> | undefined;
  #failure: unknown;
  /** If batches were left over, sends nothing before the server's state is known. */
  #isPaused: boolean;
  #resuming: Promise<void> | undefined;
  #lastSequence: number | undefined;

  /** `isLeftOver`: its first batches come from an earlier process. */
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

  /** Number of the last batch that was sent or waits; `undefined` if there is none. */
  get lastSequence(): number | undefined {
    return this.#lastSequence;
  }

  get waiting(): readonly EntryAbout[] {
    return this.#waiting.map(({ entry }) => entry);
  }

  /** Appends a batch and starts sending. `bytes` is its size on disk. */
  add(entry: WaitingEntry, bytes: number): void {
    const packed = this.#waiting.length < HELD_MAX ? entry.packed : undefined;
    this.#waiting.push({ entry: { ...entry, packed }, bytes });
    this.#lastSequence = entry.sequence;
    this.#work.moved(bytes);
    this.#begin();
  }

  /** Waits until nothing waits, or nothing can be sent. */
  async settled(): Promise<void> {
    while (this.#sending !== undefined) await this.#sending;
  }

  /** Throws the reason if the chain has stopped. */
  throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  /**
   * Compares left-over batches with the server's last one of the source, once, and starts sending. Batches that the server
   * has leave the queue; a rest that does not continue them is set aside, as the file is read again from there.
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
      await this.#giveUp("the server has other data of this source");
      this.#lastSequence = undefined;
    }
    this.#isPaused = false;
    this.#begin();
  }

  #begin(): void {
    if (this.#isPaused || this.#failure !== undefined || this.#waiting.length === 0) return;
    this.#sending ??= this.#sendAll();
  }

  /** Never rejects: the next `add` throws the error. */
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
      else this.#work.warn(errorMessage(error));
    } finally {
      this.#sending = undefined;
      this.#work.moved(0);
    }
  }

  async #giveUp(reason: string): Promise<void> {
    const count = this.#waiting.length;
    await this.#dropWhile(() => true, "refused");
    const batches = count === 1 ? "a waiting batch" : `${count} waiting batches`;
    this.#work.warn(`set aside ${batches} of load test "${this.loadTestId}": ${reason}`);
  }

  async #dropWhile(isDropped: (entry: EntryAbout) => boolean, how: "sent" | "refused") {
    for (;;) {
      const next = this.#waiting[0];
      if (next === undefined || !isDropped(next.entry)) return;
      await this.#leave(next.entry, how);
    }
  }

  /** Another process may have removed it meanwhile. */
  async #leave(entry: WaitingEntry, how: "sent" | "refused"): Promise<void> {
    await (how === "sent" ? this.#work.remove(entry) : this.#work.putAside(entry));
    if (this.#waiting[0]?.entry !== entry) return;
    const [left] = this.#waiting.splice(0, 1);
    if (left !== undefined) this.#work.moved(-left.bytes);
  }
}

/** Errors after which the same batch can never be accepted; others are caused by key or network. */
function isFinal(error: unknown): error is UserError {
  if (!(error instanceof UserError)) return false;
  return !["server-unreachable", "server-refused"].includes(error.code);
}

/** Metadata of a spooled batch, readable without unpacking it. */
export interface EntryAbout {
  readonly loadTestId: string;
  readonly sourceId: string;
  readonly sequence: number;
  readonly follows: number | "nothing";
}

export interface Entry extends EntryAbout {
  /** The batch as sent. */
  readonly packed: Uint8Array<ArrayBuffer>;
}

const DIGITS = 16;

/** File name of an entry: sorted by source, then by order of sending. */
export function entryName({ loadTestId, sourceId, sequence }: EntryAbout): string {
  const chain = createHash("sha256").update(`${loadTestId}\n${sourceId}`).digest("hex");
  return `${chain.slice(0, 32)}-${String(sequence).padStart(DIGITS, "0")}`;
}

/** A line with the CRC-32 of the rest, a line of JSON, and the batch as sent. */
export function writeEntry({ packed, ...about }: Entry): Uint8Array {
  const rest = Buffer.concat([Buffer.from(`${JSON.stringify(about)}\n`), packed]);
  return Buffer.concat([Buffer.from(`${crc32(rest).toString(16).padStart(8, "0")}\n`), rest]);
}

/** `undefined` if the checksum does not match. */
export function readEntry(content: Uint8Array<ArrayBuffer>): Entry | undefined {
  const rest = content.subarray(9);
  const checksum = new TextDecoder().decode(content.subarray(0, 9));
  if (checksum !== `${crc32(rest).toString(16).padStart(8, "0")}\n`) return undefined;
  const end = rest.indexOf(0x0a);
  const about = JSON.parse(new TextDecoder().decode(rest.subarray(0, end))) as EntryAbout;
  return { ...about, packed: rest.slice(end + 1) };
}
