/** Room on the disk that is kept free, so that deleting, sealing and other programs can still write. */

import { statfsSync } from "node:fs";
import path from "node:path";
import { UserError } from "../../model/errors.ts";

/** However much is to be kept free, it is no more than this share of the disk. */
const SHARE_MAX = 1 / 20;

/** A disk as `statfs` tells of it. */
interface DiskRoom {
  readonly freeBytes: number;
  readonly totalBytes: number;
}

export interface FreeRoomOptions {
  /** To be kept free, though never more than a twentieth of the disk. 0: nothing. */
  readonly bytesMin: number;
  /** @default asks the system, which takes some microseconds */
  readonly look?: (directory: string) => DiskRoom;
}

export class FreeRoom {
  readonly #directory: string;
  readonly #bytesMin: number;
  readonly #look: (directory: string) => DiskRoom;

  /** Of the disk that `file` is on. */
  constructor(file: string, { bytesMin, look = lookAt }: FreeRoomOptions) {
    this.#directory = path.dirname(file);
    this.#bytesMin = bytesMin;
    this.#look = look;
  }

  /** Refuses what would take more of the disk. Throws `storage-full`. */
  require(): void {
    if (this.#bytesMin === 0) return;
    const { freeBytes, totalBytes } = this.#look(this.#directory);
    const wantedBytes = Math.min(this.#bytesMin, Math.floor(totalBytes * SHARE_MAX));
    if (freeBytes >= wantedBytes) return;
    throw new UserError(
      "storage-full",
      `cannot write to the store: the disk of ${this.#directory} has ${freeBytes} bytes free, and ` +
        `${wantedBytes} are kept free (setting freeBytesMin, --free-bytes-min)`,
    );
  }
}

function lookAt(directory: string): DiskRoom {
  const { bavail, blocks, bsize } = statfsSync(directory);
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}
