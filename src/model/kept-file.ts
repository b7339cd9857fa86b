import { badParameter, UserError } from "./errors.ts";

/** A file kept with a load test: the original of a source, or an attachment. */
export interface KeptFile {
  /** Unique within its load test. */
  readonly id: string;
  /** Any text; of an original the last part of its path, of an attachment as it was given. */
  readonly name: string;
  /** Of an original: the source that was read from it. @default an attachment */
  readonly sourceId?: string | undefined;
  readonly sizeBytes: number;
  /** SHA-256 of the bytes, 64 hex digits. */
  readonly sha256: string;
  /** Milliseconds since the epoch. */
  readonly addedAtMs: number;
  /** Name of the key that added it. */
  readonly author?: string | undefined;
}

export interface NewFile extends Pick<KeptFile, "name" | "sourceId" | "author"> {
  readonly loadTestId: string;
  /** @default a new one */
  readonly id?: string | undefined;
  /** @default now */
  readonly addedAtMs?: number | undefined;
  /** @default no limit */
  readonly bytesMax?: number | undefined;
  /** Attachments of the load test. @default no limit */
  readonly attachmentsMax?: number | undefined;
}

/** Where an original is. */
export interface SourcePlace {
  readonly loadTestId: string;
  readonly sourceId: string;
}

const NAME_CHARACTERS_MAX = 1000;

/** Returns the name as it is stored. Throws `bad-parameter`. */
export function checkFileName(name: string): string {
  if (name.length > 0 && name.length <= NAME_CHARACTERS_MAX) {
    return name.toWellFormed().replaceAll("\0", "\u{FFFD}");
  }
  throw badParameter(
    `name of the file: expected 1 to ${NAME_CHARACTERS_MAX} characters, got ${name.length}`,
  );
}

/** The last part of a path; empty behind a final slash. */
export function baseNameOf(path: string): string {
  return path.split(/[/\\]/).at(-1) ?? "";
}

/** Of each path its last part, and before it as many as distinguish the paths: folders reveal how a machine is organized. */
export function shortNames(paths: readonly string[]): readonly string[] {
  const parts = paths.map((path) => path.match(/[^/\\]+/g) ?? [path]);
  const different = new Set(parts.map((each) => each.join("/"))).size;
  for (let kept = 1; ; kept++) {
    const short = parts.map((each) => each.slice(-kept).join("/"));
    if (new Set(short).size === different) return short;
  }
}

/** Controls, marks that reorder or hide text, and what a file system or a shell treats specially. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}"*:<>?|%]/gu;
const SAFE_CHARACTERS_MAX = 150;

/** The last part of a name, to save a file under: no path, nothing hidden, and at most 150 characters. */
export function safeFileName({ name }: Pick<KeptFile, "name">): string {
  const safe = Array.from(baseNameOf(name).replace(UNSAFE, "_"))
    .slice(-SAFE_CHARACTERS_MAX)
    .join("");
  const visible = safe.replace(/^[.\s=+@-]+/, "_").replace(/[.\s]+$/, "");
  return visible === "" || visible === "_" ? "file" : visible;
}

/** `bytesMax` 0 forbids such files. */
export function fileTooLarge({ name }: Pick<KeptFile, "name">, bytesMax: number): UserError {
  const limit = bytesMax === 0 ? "this server keeps none" : `expected at most ${bytesMax} bytes`;
  return new UserError(
    "file-too-large",
    `cannot keep ${JSON.stringify(name)}: ${limit} (settings keptFileBytesMax for originals, attachmentBytesMax for attachments)`,
  );
}

/** `id`: its id, or its name. */
export function unknownFile(id: string): UserError {
  return new UserError("unknown-file", `the load test has no file ${JSON.stringify(id)}`);
}
