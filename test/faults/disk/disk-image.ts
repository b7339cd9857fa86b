/** The contents of a disk after recorded events, complete or after a power cut. */

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { DiskEvent } from "./recording.ts";

const SECTOR_BYTES = 512;

type Change = Extract<DiskEvent, { kind: "write" | "truncate" | "remove" }>;

export class DiskImage {
  readonly #files: Map<string, Buffer>;

  private constructor(files: Map<string, Buffer>) {
    this.#files = files;
  }

  /** Reads the files of a folder that `DiskEvent`s cover. */
  static of(folder: string): DiskImage {
    const names = readdirSync(folder).filter(
      (name) => !name.endsWith("-shm") && !name.startsWith("server."),
    );
    return new DiskImage(
      new Map(names.map((name) => [name, ownCopy(readFileSync(path.join(folder, name)))])),
    );
  }

  copy(): DiskImage {
    return new DiskImage(new Map([...this.#files].map(([name, bytes]) => [name, ownCopy(bytes)])));
  }

  writeTo(folder: string): void {
    mkdirSync(folder);
    for (const [name, bytes] of this.#files) writeFileSync(path.join(folder, name), bytes);
  }

  /** The files that differ from another image; an empty file equals an absent one. */
  differences(other: DiskImage): string[] {
    const names = new Set([...this.#files.keys(), ...other.#files.keys()]);
    const none = Buffer.alloc(0);
    return [...names].filter(
      (name) => !(this.#files.get(name) ?? none).equals(other.#files.get(name) ?? none),
    );
  }

  apply(change: Change): void {
    const { file } = change;
    if (change.kind === "remove") {
      this.#files.delete(file);
      return;
    }
    const bytes = this.#files.get(file) ?? Buffer.alloc(0);
    if (change.kind === "truncate") {
      this.#files.set(file, resized(bytes, change.length));
      return;
    }
    const target = resized(bytes, Math.max(bytes.length, change.at + change.bytes.length));
    change.bytes.copy(target, change.at);
    this.#files.set(file, target);
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
 * of their sectors, as `random` decides.
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
    const isSynced = ({ file, number }: Change): boolean =>
      file === event.file && number < event.begun;
    for (const change of unsynced) if (isSynced(change)) image.apply(change);
    unsynced = unsynced.filter((change) => !isSynced(change));
  }
  for (const change of damaged(unsynced, random)) image.apply(change);
  return image;
}

function damaged(unsynced: readonly Change[], random: () => number): Change[] {
  const way = random();
  if (way < 0.2) return [];
  const kept = unsynced.filter(() => random() < 0.6);
  if (way < 0.4) return kept;
  const shuffled = kept
    .map((change) => ({ change, place: random() }))
    .toSorted((left, right) => left.place - right.place)
    .map(({ change }) => change);
  return way < 0.6 ? shuffled : shuffled.flatMap((change) => torn(change, random));
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

function isChange(event: DiskEvent): event is Change {
  return event.kind === "write" || event.kind === "truncate" || event.kind === "remove";
}

/** The same bytes, extended with zeros; reuses the buffer if it has room. */
function resized(bytes: Buffer, length: number): Buffer {
  if (length <= bytes.length) return bytes.subarray(0, length);
  const room = bytes.buffer.byteLength - bytes.byteOffset;
  if (length <= room) {
    return Buffer.from(bytes.buffer, bytes.byteOffset, length).fill(0, bytes.length);
  }
  const roomier = Buffer.from(new ArrayBuffer(2 * length)).subarray(0, length);
  bytes.copy(roomier);
  return roomier;
}

/** A copy in memory of its own. */
function ownCopy(bytes: Buffer): Buffer {
  const copy = Buffer.from(new ArrayBuffer(bytes.length));
  bytes.copy(copy);
  return copy;
}
