import { execFileSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, rmSync, truncateSync, writeSync } from "node:fs";
import path from "node:path";
import { MissingHere } from "../frame/missing-here.ts";

const MEBIBYTE = 1024 ** 2;
const PIECE_BYTES = 4096;

/** A file system in memory, or one in a file on a real disk. */
export type DiskKind = "tmpfs" | "ext4";

/** Bytes of each kind: room for a small store and for the file system itself. */
const SIZES: Readonly<Record<DiskKind, number>> = { tmpfs: 12 * MEBIBYTE, ext4: 24 * MEBIBYTE };

/**
 * The default of `mkfs.ext4` from 512 MB on. With smaller blocks, SQLite reserves only the last block of each page of its shared
 * memory, so that a full disk can end the process by SIGBUS: in 3 of 60 tries with 1 KiB, in none with 4 KiB.
 */
const BLOCK_BYTES = 4096;

/** Unmounted when this process ends; a process that is being killed may still use one. */
const mounted = new Set<string>();
process.once("exit", () => {
  for (const disk of mounted) execFileSync("umount", ["--lazy", disk]);
});

/** Mounts a small disk in `folder` during `use`. Throws `MissingHere` if that is not permitted. */
export async function withSmallDisk<Answer>(
  folder: string,
  kind: DiskKind,
  use: (disk: string) => Promise<Answer>,
): Promise<Answer> {
  const disk = path.join(folder, kind);
  mkdirSync(disk, { recursive: true });
  mount(folder, kind, disk);
  mounted.add(disk);
  try {
    return await use(disk);
  } finally {
    execFileSync("umount", [disk]);
    mounted.delete(disk);
  }
}

function mount(folder: string, kind: DiskKind, disk: string): void {
  try {
    if (kind === "tmpfs") {
      runQuietly("mount", ["-t", "tmpfs", "-o", `size=${SIZES.tmpfs}`, "tmpfs", disk]);
      return;
    }
    const image = path.join(folder, "disk.img");
    closeSync(openSync(image, "w"));
    truncateSync(image, SIZES.ext4);
    runQuietly("mkfs.ext4", ["-q", "-F", "-m", "0", "-b", String(BLOCK_BYTES), image]);
    runQuietly("mount", ["-o", "loop", image, disk]);
  } catch (error) {
    throw new MissingHere(`mounting a ${kind}: ${String(error)}`);
  }
}

function runQuietly(program: string, words: readonly string[]): void {
  execFileSync(program, words, { stdio: "pipe" });
}

/** Fills a disk, and frees the space in two steps. */
export class Ballast {
  readonly #file: string;
  readonly #rest: string;

  constructor(disk: string, name = "ballast") {
    this.#file = path.join(disk, name);
    this.#rest = path.join(disk, `${name}-rest`);
  }

  /** Fills the disk; `free` releases `freeableBytes` of it. */
  fill(freeableBytes: number): void {
    writeUntilFull(this.#file, freeableBytes);
    writeUntilFull(this.#rest, Number.POSITIVE_INFINITY);
  }

  /** Releases the `freeableBytes`. */
  free(): void {
    rmSync(this.#file);
  }

  freeRest(): void {
    rmSync(this.#rest);
  }
}

function writeUntilFull(file: string, mostBytes: number): void {
  const piece = Buffer.alloc(PIECE_BYTES, 1);
  const descriptor = openSync(file, "w");
  try {
    for (let written = 0; written < mostBytes;) written += writeSync(descriptor, piece);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  } finally {
    closeSync(descriptor);
  }
}
