/** Keeps disk space free for deletions, compaction and other programs. */

import { rmSync, statfsSync, statSync, writeFileSync } from "node:fs";
import { randomBytes } from "node:crypto";
import path from "node:path";
import { UserError } from "../../../model/errors.ts";

/** Upper bound for the space kept free, as a share of the disk. */
const SHARE_MAX = 1 / 20;
/** Space that opening a store and deletions need on a full disk. */
export const RESERVE_BYTES = 1024 ** 2;

/** Result of `statfs`. */
interface DiskRoom {
  readonly freeBytes: number;
  readonly totalBytes: number;
}

export interface FreeRoomOptions {
  /** Bytes to keep free, at most a twentieth of the disk. 0: none. */
  readonly bytesMin: number;
  /** Path of a file of `RESERVE_BYTES` that is removed when the disk is full. @default none */
  readonly reserve?: string | undefined;
  /** @default asks the system, in some microseconds */
  readonly look?: (directory: string) => DiskRoom;
}

export class FreeRoom {
  readonly #directory: string;
  readonly #bytesMin: number;
  readonly #reserve: string | undefined;
  readonly #look: (directory: string) => DiskRoom;

  /** Checks the disk of `file`. */
  constructor(file: string, { bytesMin, reserve, look = lookAt }: FreeRoomOptions) {
    this.#directory = path.dirname(file);
    this.#bytesMin = bytesMin;
    this.#reserve = reserve;
    this.#look = look;
  }

  /** Refuses writes that would use the reserve; recreates its file when there is space. Throws `storage-full`. */
  require(): void {
    const isReserved = !this.isReserveGone();
    if (this.#bytesMin === 0 && isReserved) return;
    const { freeBytes, totalBytes } = this.#look(this.#directory);
    const floorBytes = Math.min(this.#bytesMin, Math.floor(totalBytes * SHARE_MAX));
    // Factor two, so that the reserve does not immediately take the space it freed.
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

  /** Whether the remaining space is for deletions only. */
  isReserveGone(): boolean {
    if (this.#reserve === undefined) return false;
    // A reserve truncated by a crash does not count.
    return (statSync(this.#reserve, { throwIfNoEntry: false })?.size ?? 0) < RESERVE_BYTES;
  }

  /** Removes the reserve if the disk is full. */
  makeRoom(): void {
    if (this.#reserve === undefined) return;
    if (this.#look(this.#directory).freeBytes < RESERVE_BYTES)
      rmSync(this.#reserve, { force: true });
  }

  /** Creates the reserve if it is missing and there is space. */
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
      // Random bytes, because some file systems do not allocate zeros.
      writeFileSync(this.#reserve, randomBytes(RESERVE_BYTES), { mode: 0o600 });
    } catch {
      // Another process took the space.
      rmSync(this.#reserve, { force: true });
    }
  }
}

function lookAt(directory: string): DiskRoom {
  const { bavail, blocks, bsize } = statfsSync(directory);
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}
