/** Room on the disk that is kept free, so that deleting, compaction and other programs can still write. */

import { rmSync, statfsSync, statSync, writeFileSync } from "node:fs";
import { randomBytes } from "node:crypto";
import path from "node:path";
import { UserError } from "../../../model/errors.ts";

/** However much is to be kept free, it is no more than this share of the disk. */
const SHARE_MAX = 1 / 20;
/** What opening a store and deletions need of a disk that is full. */
export const RESERVE_BYTES = 1024 ** 2;

/** A disk as `statfs` tells of it. */
interface DiskRoom {
  readonly freeBytes: number;
  readonly totalBytes: number;
}

export interface FreeRoomOptions {
  /** To be kept free, though never more than a twentieth of the disk. 0: nothing. */
  readonly bytesMin: number;
  /** Path of a file of `RESERVE_BYTES` that is removed when the disk is full. @default there is none */
  readonly reserve?: string | undefined;
  /** @default asks the system, which takes some microseconds */
  readonly look?: (directory: string) => DiskRoom;
}

export class FreeRoom {
  readonly #directory: string;
  readonly #bytesMin: number;
  readonly #reserve: string | undefined;
  readonly #look: (directory: string) => DiskRoom;

  /** Of the disk that `file` is on. */
  constructor(file: string, { bytesMin, reserve, look = lookAt }: FreeRoomOptions) {
    this.#directory = path.dirname(file);
    this.#bytesMin = bytesMin;
    this.#reserve = reserve;
    this.#look = look;
  }

  /**
   * Refuses what would take more of the disk, or what the reserve was removed for; makes that again
   * where there is room. Throws `storage-full`.
   */
  require(): void {
    const isReserved = !this.isReserveGone();
    if (this.#bytesMin === 0 && isReserved) return;
    const { freeBytes, totalBytes } = this.#look(this.#directory);
    const floorBytes = Math.min(this.#bytesMin, Math.floor(totalBytes * SHARE_MAX));
    // Twice, or the reserve would take the room that its removal has made.
    const wantedBytes = floorBytes + (isReserved ? 0 : 2 * RESERVE_BYTES);
    if (freeBytes < wantedBytes) {
      throw new UserError(
        "storage-full",
        `cannot write to the store: the disk of ${this.#directory} has ${freeBytes} bytes free, ` +
          `and ${wantedBytes} are kept free (setting freeBytesMin, --free-bytes-min)`,
      );
    }
    if (!isReserved) this.#makeReserve();
  }

  /** Whether what room there is, is for deletions. */
  isReserveGone(): boolean {
    if (this.#reserve === undefined) return false;
    // One that was cut short by a crash is none.
    return (statSync(this.#reserve, { throwIfNoEntry: false })?.size ?? 0) < RESERVE_BYTES;
  }

  /** Removes the reserve where the disk is full. */
  makeRoom(): void {
    if (this.#reserve === undefined) return;
    if (this.#look(this.#directory).freeBytes < RESERVE_BYTES)
      rmSync(this.#reserve, { force: true });
  }

  /** Makes the reserve where there is none, and room for it. */
  reserve(): void {
    try {
      if (this.isReserveGone()) this.require();
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
    }
  }

  #makeReserve(): void {
    if (this.#reserve === undefined) return;
    try {
      // Random, as some file systems give zeros no room.
      writeFileSync(this.#reserve, randomBytes(RESERVE_BYTES), { mode: 0o600 });
    } catch {
      // Another process was faster with the room.
      rmSync(this.#reserve, { force: true });
    }
  }
}

function lookAt(directory: string): DiskRoom {
  const { bavail, blocks, bsize } = statfsSync(directory);
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}
