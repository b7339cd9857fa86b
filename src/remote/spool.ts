import { zstdDecompressSync, crc32 } from "node:zlib";
import { UserError, errorMessage } from "../model/errors.ts";
import { NO_FAILURES } from "../model/failures.ts";
import type { OtherRequests } from "../model/import-report.ts";
import { TooManyLabels } from "../model/label.ts";
import type { ImportTarget } from "../import/ensure-load-test.ts";
import { KindLimit } from "../import/kind-limit.ts";
import { OverflowLabels, overflowNote } from "../import/overflow-labels.ts";
import type { PointBatch } from "../store/store.ts";
import { decodeBatch } from "../wire/batch.ts";
import { type RemoteTarget, packBatch } from "./remote-target.ts";
import type { SpoolFolder } from "./spool-folder.ts";
import type { LiveSource } from "../store/snapshot.ts";
import { createHash } from "node:crypto";

export interface SpoolOptions {
  /** Limit of waiting bytes; then reading stops, and the file is its own buffer. */
  readonly bytesMax: number;
  readonly warn: (message: string) => void;
}

/**
 * Stores live batches on disk until the server has them, and sends them in order per source, one at a time, with those
 * of an earlier process. Merges labels over the server's limit into overflow labels. Sends everything else directly.
 */
export class Spool implements ImportTarget {
  readonly isRemote = true;
  readonly loadTests: ImportTarget["loadTests"];
  readonly points: ImportTarget["points"];
  readonly files: ImportTarget["files"];
  readonly #remote: RemoteTarget;
  readonly #folder: SpoolFolder;
  readonly #options: SpoolOptions;
  /** By load test and source. */
  readonly #chains = new Map<string, SendingChain>();
  /** Those that this process has appended to. */
  readonly #own = new Set<SendingChain>();
  readonly #overflow: OverflowSender;
  #bytes = 0;
  /** Callers that wait for space. */
  #waiters: (() => void)[] = [];
  #resuming: Promise<unknown> = Promise.resolve();

  private constructor(remote: RemoteTarget, folder: SpoolFolder, options: SpoolOptions) {
    this.#remote = remote;
    this.#folder = folder;
    this.#options = options;
    this.#overflow = new OverflowSender(remote);
    this.loadTests = remote.loadTests;
    this.files = remote.files;
    this.points = {
      ...remote.points,
      append: (batch) =>
        batch.visibility === "live" ? this.#keep(batch) : remote.points.append(batch),
      liveSources: (loadTestId) => this.#liveSources(loadTestId),
      withdraw: (loadTestId, sourceId) => this.#withdraw(loadTestId, sourceId),
    };
  }

  /** Opens it and starts sending left-over batches. */
  static async open(
    remote: RemoteTarget,
    folder: SpoolFolder,
    options: SpoolOptions,
  ): Promise<Spool> {
    const spool = new Spool(remote, folder, options);
    for (const { name, sizeBytes } of await folder.list()) await spool.#takeUp(name, sizeBytes);
    const loadTestIds = new Set([...spool.#chains.values()].map(({ loadTestId }) => loadTestId));
    spool.#resuming = Promise.allSettled([...loadTestIds].map((id) => spool.#liveSources(id)));
    return spool;
  }

  /** Waits until all is sent or given up; returns how many batches stay. Throws why one of this process was refused. */
  async settle(): Promise<number> {
    await this.#resuming;
    let kept = 0;
    for (const chain of this.#chains.values()) {
      await chain.settled();
      kept += chain.waiting.length;
      if (chain.waiting.length === 0 && this.#own.has(chain)) chain.throwFailure();
    }
    for (const note of this.#overflow.notes()) this.#options.warn(note);
    return kept;
  }

  async #takeUp(name: string, sizeBytes: number): Promise<void> {
    const content = await this.#folder.read(name);
    const entry = content && readEntry(content);
    if (entry !== undefined) {
      this.#chainOf(entry, true).add({ ...entry, packed: undefined }, sizeBytes);
    } else if (content !== undefined) {
      await this.#folder.putAside(name);
      this.#options.warn(`${name} in ${this.#folder.place} is damaged and was set aside`);
    }
  }

  async #keep({ loadTestId, ...batch }: PointBatch): Promise<{ readonly duplicate: boolean }> {
    const { sourceId, sequence, follows } = batch;
    if (follows === undefined) throw new Error("BUG: a live batch does not say what it follows");
    const entry: Entry = { loadTestId, sourceId, sequence, follows, packed: packBatch(batch) };
    const chain = this.#chainOf(entry, false);
    const content = writeEntry(entry);
    while (this.#bytes > 0 && this.#bytes + content.length > this.#options.bytesMax) {
      chain.throwFailure();
      await new Promise<void>((resolve) => this.#waiters.push(resolve));
    }
    chain.throwFailure();
    this.#own.add(chain);
    await this.#folder.put(entryName(entry), content);
    chain.add(entry, content.length);
    return { duplicate: false };
  }

  /** Sources as the server has them, continued by waiting batches. */
  async #liveSources(loadTestId: string): Promise<readonly LiveSource[]> {
    const stored = await this.#remote.points.liveSources(loadTestId);
    const last = new Map(stored.map(({ sourceId, lastSequence }) => [sourceId, lastSequence]));
    for (const chain of this.#chains.values()) {
      if (chain.loadTestId !== loadTestId) continue;
      await chain.resume(last.get(chain.sourceId));
      if (chain.lastSequence !== undefined) last.set(chain.sourceId, chain.lastSequence);
    }
    return [...last].map(([sourceId, lastSequence]) => ({ sourceId, lastSequence }));
  }

  async #withdraw(loadTestId: string, sourceId: string): Promise<void> {
    const chain = this.#chains.get(keyOf({ loadTestId, sourceId }));
    await chain?.settled();
    chain?.throwFailure();
    this.#chains.delete(keyOf({ loadTestId, sourceId }));
    await this.#remote.points.withdraw(loadTestId, sourceId);
  }

  #chainOf(about: Pick<EntryAbout, "loadTestId" | "sourceId">, isLeftOver: boolean): SendingChain {
    const key = keyOf(about);
    const found = this.#chains.get(key);
    if (found !== undefined) return found;
    const chain = new SendingChain(about, isLeftOver, {
      send: (entry) => this.#send(entry),
      remove: (entry) => this.#folder.remove(entryName(entry)),
      putAside: (entry) => this.#folder.putAside(entryName(entry)),
      warn: this.#options.warn,
      moved: (bytes) => {
        this.#bytes += bytes;
        for (const wake of this.#waiters.splice(0)) wake();
      },
    });
    this.#chains.set(key, chain);
    return chain;
  }

  async #send({ packed, ...about }: EntryAbout & { packed: Entry["packed"] | undefined }) {
    const content = packed === undefined ? await this.#folder.read(entryName(about)) : undefined;
    const bytes = packed ?? (content && readEntry(content)?.packed);
    // Another process that shares the folder has sent it.
    if (bytes === undefined && content === undefined) return;
    if (bytes === undefined) throw new UserError("bad-batch", "its file is damaged");
    const { loadTestId } = about;
    try {
      await this.#remote.sendPacked(loadTestId, bytes);
    } catch (error) {
      if (!(error instanceof TooManyLabels)) throw error;
      await this.#overflow.send(loadTestId, bytes, error);
    }
  }
}

function keyOf({ loadTestId, sourceId }: Pick<EntryAbout, "loadTestId" | "sourceId">): string {
  return `${loadTestId}\n${sourceId}`;
}

/**
 * Resends refused batches with the labels over the limit merged into overflow labels, under their numbers, as nothing
 * of them was stored. Resending gives the same batch as long as the server refuses the same labels.
 */
class OverflowSender {
  readonly #remote: Pick<RemoteTarget, "sendPacked">;
  readonly #kinds = new Map<string, KindLimit>();
  /** By load test. */
  readonly #sent = new Map<string, OtherRequests>();

  constructor(remote: Pick<RemoteTarget, "sendPacked">) {
    this.#remote = remote;
  }

  /** `packed` was refused for its labels. Throws what `sendPacked` throws. */
  async send(
    loadTestId: string,
    packed: Uint8Array<ArrayBuffer>,
    refusal: TooManyLabels,
  ): Promise<void> {
    const { failures = NO_FAILURES, ...batch } = decodeBatch(zstdDecompressSync(packed));
    const kinds = this.#kinds.get(loadTestId) ?? new KindLimit();
    this.#kinds.set(loadTestId, kinds);
    const overflow = new OverflowLabels({ kinds });
    await overflow.appendRefused({ ...batch, failures }, refusal, (merged) =>
      this.#remote.sendPacked(loadTestId, packBatch(merged)),
    );
    const { requests, labelsMax } = overflow.report() ?? { requests: 0, labelsMax: 0 };
    const before = this.#sent.get(loadTestId)?.requests ?? 0;
    this.#sent.set(loadTestId, { requests: before + requests, labels: undefined, labelsMax });
  }

  /** Quality notes for everything sent that way, by load test. */
  notes(): readonly string[] {
    return [...this.#sent].map(([id, other]) => `run ${id}: ${overflowNote(other)}`);
  }
}

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
interface EntryAbout {
  readonly loadTestId: string;
  readonly sourceId: string;
  readonly sequence: number;
  readonly follows: number | "nothing";
}

export interface Entry extends EntryAbout {
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
