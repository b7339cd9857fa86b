/** The contents of a disk after recorded events, complete or after a power cut. */

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { DiskEvent } from "./recording.ts";

const SECTOR_BYTES = 512;

type Change = Extract<DiskEvent, { kind: "write" | "truncate" | "names" }>;

export class DiskImage {
  /** Contents; see `DiskEvent` for what a file is. */
  readonly #files: Map<string, Buffer>;
  readonly #names: Map<string, string>;
  /** Files whose contents no other image has. */
  readonly #own = new Set<string>();

  private constructor(files: Map<string, Buffer>, names: Map<string, string>) {
    this.#files = files;
    this.#names = names;
  }

  /** Reads the files of a folder that `DiskEvent`s cover. */
  static of(folder: string): DiskImage {
    const names = readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((each) => each.isFile())
      .filter(({ name }) => !name.endsWith("-shm") && !name.startsWith("server."))
      .map(({ parentPath, name }) => path.relative(folder, path.join(parentPath, name)));
    return new DiskImage(
      new Map(names.map((name) => [name, readFileSync(path.join(folder, name))])),
      new Map(names.map((name) => [name, name])),
    );
  }

  get names(): Iterable<string> {
    return this.#names.keys();
  }

  /** Of the file with this name, if there is one. */
  bytesOf(name: string): Buffer | undefined {
    const file = this.#names.get(name);
    return file === undefined ? undefined : (this.#files.get(file) ?? Buffer.alloc(0));
  }

  /** Costs little; contents are copied before they change. */
  copy(): DiskImage {
    this.#own.clear();
    return new DiskImage(new Map(this.#files), new Map(this.#names));
  }

  writeTo(folder: string): void {
    mkdirSync(folder);
    for (const name of this.#names.keys()) {
      const file = path.join(folder, name);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, this.bytesOf(name) ?? "");
    }
  }

  /** The names of files that differ from another image; an empty file equals an absent one. */
  differences(other: DiskImage): string[] {
    const names = new Set([...this.names, ...other.names]);
    const none = Buffer.alloc(0);
    return [...names].filter(
      (name) => !(this.bytesOf(name) ?? none).equals(other.bytesOf(name) ?? none),
    );
  }

  apply(change: Change): void {
    const { file } = change;
    if (change.kind === "names") {
      for (const [name, target] of Object.entries(change.names)) {
        if (target === undefined) this.#names.delete(name);
        else this.#names.set(name, target);
      }
      return;
    }
    const bytes = this.#ownBytes(file);
    if (change.kind === "truncate") {
      this.#files.set(file, resized(bytes, change.length));
      return;
    }
    const target = resized(bytes, Math.max(bytes.length, change.at + change.bytes.length));
    change.bytes.copy(target, change.at);
    this.#files.set(file, target);
  }

  /** Gives its memory to later images; it must not be used any more. */
  release(): void {
    for (const file of this.#own) spare(this.#files.get(file) as Buffer);
    this.#files.clear();
  }

  #ownBytes(file: string): Buffer {
    const bytes = this.#files.get(file) ?? Buffer.alloc(0);
    if (this.#own.has(file)) return bytes;
    this.#own.add(file);
    return ownCopy(bytes);
  }
}

/** Replays all events: the files if nothing is lost. */
export function replayAll(base: DiskImage, events: readonly DiskEvent[]): DiskImage {
  const image = base.copy();
  for (const event of events) if (isChange(event)) image.apply(event);
  return image;
}

/**
 * The events of a killed process, without the unfinished changes that were not made. Throws if no subset of
 * the unfinished changes reproduces the files that the process left.
 */
export function settle(
  base: DiskImage,
  events: readonly DiskEvent[],
  left: DiskImage,
): readonly DiskEvent[] {
  const unfinished = events.filter((event) => isChange(event) && event.isUnfinished);
  let differences: readonly string[] = [];
  for (let choice = 0; choice < 2 ** unfinished.length; choice++) {
    const notMade = new Set(unfinished.filter((_, place) => choice & (1 << place)));
    const made = events.filter((event) => !notMade.has(event));
    differences = replayAll(base, made).differences(left);
    if (differences.length === 0) return made;
  }
  throw new Error(`the recording, replayed, makes another ${differences.join(", ")}`);
}

/**
 * Replays events until the power is cut. Unsynced changes are lost, reordered or reach the disk only in some
 * of their sectors, as `random` decides; names change in their order, as file systems with a journal do, but independently of contents.
 */
export function replayCut(
  base: DiskImage,
  events: readonly DiskEvent[],
  random: () => number,
): DiskImage {
  const image = base.copy();
  let unsynced: Change[] = [];
  for (const event of events) {
    if (isChange(event)) unsynced.push(event);
    if (event.kind !== "sync") continue;
    const isOfSync = (change: Change): boolean =>
      change.number < event.begun && (change.file === event.file || isNameIn(change, event.file));
    // A journal has all names before one that it has.
    const lastName = unsynced.findLast((change) => change.kind === "names" && isOfSync(change));
    const isSynced = (change: Change): boolean =>
      isOfSync(change) || (change.kind === "names" && change.number < (lastName?.number ?? 0));
    for (const change of unsynced) if (isSynced(change)) image.apply(change);
    unsynced = unsynced.filter((change) => !isSynced(change));
  }
  for (const change of damaged(unsynced, random)) image.apply(change);
  return image;
}

/**
 * How many events come before a cut. In a third of the rounds it is right after an acknowledgement was sent, when most depends on the
 * syncs before it, and in a third right before a sync, when readers may have seen lost data.
 */
export function placeToCut(events: readonly DiskEvent[], random: () => number): number {
  const way = Math.floor(3 * random());
  const isWanted = (at: number): boolean =>
    way === 0 ||
    (way === 1 && events[at]?.kind === "answer") ||
    (way === 2 && events[at + 1]?.kind === "sync");
  const places = [...events.keys()].filter((at) => isWanted(at));
  return (places[Math.floor(random() * places.length)] ?? 0) + 1;
}

function isNameIn(change: Change, folder: string): boolean {
  if (change.kind !== "names") return false;
  return Object.keys(change.names).some((name) => `${path.dirname(name)}/` === folder);
}

function damaged(unsynced: readonly Change[], random: () => number): Change[] {
  const way = random();
  if (way < 0.2) return [];
  const names = unsynced.filter(({ kind }) => kind === "names");
  const named = names.slice(0, Math.floor(random() * (names.length + 1)));
  const kept = unsynced.filter(({ kind }) => kind !== "names" && random() < 0.6);
  if (way < 0.4) return [...named, ...kept];
  const shuffled = kept
    .map((change) => ({ change, place: random() }))
    .toSorted((left, right) => left.place - right.place)
    .map(({ change }) => change);
  return [...named, ...(way < 0.6 ? shuffled : shuffled.flatMap((change) => torn(change, random)))];
}

/** Some of the sectors of a write. */
function torn(change: Change, random: () => number): Change[] {
  if (change.kind !== "write") return [change];
  const pieces: Change[] = [];
  const { at, bytes } = change;
  for (let from = 0; from < bytes.length;) {
    const end = Math.min(bytes.length, from + SECTOR_BYTES - ((at + from) % SECTOR_BYTES));
    if (random() < 0.5) pieces.push({ ...change, at: at + from, bytes: bytes.subarray(from, end) });
    from = end;
  }
  return pieces;
}

export function isChange(event: DiskEvent): event is Change {
  return event.kind === "write" || event.kind === "truncate" || event.kind === "names";
}

/** The same bytes of an image's own, extended with zeros; reuses the buffer if it has room. */
function resized(bytes: Buffer, length: number): Buffer {
  if (length <= bytes.length) return bytes.subarray(0, length);
  if (length <= bytes.buffer.byteLength) {
    return Buffer.from(bytes.buffer, 0, length).fill(0, bytes.length);
  }
  const roomier = withRoom(2 * length).subarray(0, length);
  bytes.copy(roomier);
  spare(bytes);
  return roomier.fill(0, bytes.length);
}

/** A copy in memory of its own. */
function ownCopy(bytes: Buffer): Buffer {
  const copy = withRoom(bytes.length).subarray(0, bytes.length);
  bytes.copy(copy);
  return copy;
}

const LEAST_ROOM = 4096;

/** Memory by its size, a power of two. Collecting the garbage of thousands of images takes longer than making them. */
const spares = new Map<number, Buffer[]>();

function withRoom(length: number): Buffer {
  const room = Math.max(LEAST_ROOM, 2 ** Math.ceil(Math.log2(Math.max(1, length))));
  return spares.get(room)?.pop() ?? Buffer.from(new ArrayBuffer(room));
}

function spare({ buffer }: Buffer): void {
  const alike = spares.get(buffer.byteLength) ?? [];
  spares.set(buffer.byteLength, alike);
  alike.push(Buffer.from(buffer));
}
