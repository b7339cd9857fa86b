import { zstdDecompressSync } from "node:zlib";
import { UserError } from "../model/errors.ts";
import { NO_FAILURES } from "../model/failures.ts";
import type { OtherRequests } from "../model/import-report.ts";
import { TooManyLabels } from "../model/label.ts";
import type { ImportTarget } from "../import/ensure-load-test.ts";
import { KindLimit } from "../import/kind-limit.ts";
import { OverflowLabels, overflowNote } from "../import/overflow-labels.ts";
import type { PointBatch } from "../store/store.ts";
import { decodeBatch } from "../wire/batch.ts";
import { type RemoteTarget, packBatch } from "./remote-target.ts";
import {
  type Entry,
  type EntryAbout,
  SendingChain,
  entryName,
  readEntry,
  writeEntry,
} from "./sending-chain.ts";
import type { SpoolFolder } from "./spool-folder.ts";
import type { LiveSource } from "../store/snapshot.ts";

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
    return [...this.#sent].map(([id, other]) => `load test ${id}: ${overflowNote(other)}`);
  }
}
