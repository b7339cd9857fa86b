/**
 * What a process did to the files of its data directory, and when its responses left it, read from strace. A
 * change is `isUnfinished` if the process was killed during the call: the kernel drops a call that it has not
 * begun, so only the files show whether the change was made.
 */

import { createReadStream } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";

/**
 * A `file` is the content behind names, as an inode is: it has the name that it was created with, and `#` with the
 * number of its creation if another file had that name before.
 */
export type DiskEvent = (
  | {
      readonly kind: "write";
      readonly file: string;
      readonly at: number;
      readonly bytes: Buffer;
    }
  | { readonly kind: "truncate"; readonly file: string; readonly length: number }
  /** Names of files, together; `undefined` for one that is gone: a creation, a renaming, a link, a removal. */
  | {
      readonly kind: "names";
      readonly file: string;
      readonly names: Readonly<Record<string, string | undefined>>;
    }
  /**
   * What was written to the file, or to the names in the folder (which ends with `/`), before the sync began, at the event with
   * this number, is on the disk.
   */
  | { readonly kind: "sync"; readonly file: string; readonly begun: number }
  /** An acknowledgement was sent: the first bytes of a response, or a line on standard output. */
  | { readonly kind: "answer"; readonly id: string }
) & {
  /** Counts the events of the recording. */
  readonly number: number;
  readonly isUnfinished?: boolean;
};

/** Arguments that make strace write such a recording. */
export function recordingWords(log: string): string[] {
  const calls =
    "openat,pwrite64,write,writev,pwritev,ftruncate,truncate,rename,link,unlink,fsync,fdatasync";
  return ["-yy", "-xx", "-s", "10000000", "-e", `trace=${calls}`, "-o", log];
}

/**
 * Reads a recording, in order. Names are relative to `folder`, which had files of these `names` when it began. Leaves out files
 * that need not survive: SQLite recreates its shared memory, and the lock of servers has no contents.
 */
export async function readRecording(
  log: string,
  folder: string,
  names: Iterable<string>,
): Promise<DiskEvent[]> {
  const events: DiskEvent[] = [];
  const unfinished = new Map<string, Begun>();
  const files = new FilesByName(folder, names);
  const push = (call: string, begun = events.length): void => {
    const event = answerIn(call) ?? changeIn(call, files);
    if (event === undefined) return;
    const number = events.length;
    const numbered = event.kind === "sync" ? { ...event, begun, number } : { ...event, number };
    events.push(call.endsWith("= ?") ? { ...numbered, isUnfinished: true } : numbered);
  };
  const lines = createInterface({ input: createReadStream(log, "latin1"), crlfDelay: Infinity });
  for await (const line of lines) {
    const [, thread = "", rest = ""] = /^(\d+) +(.*)$/s.exec(line) ?? [];
    const begun = /^(.*) <unfinished \.\.\.>$/s.exec(rest)?.[1];
    if (begun !== undefined) {
      // A response may have been sent as soon as its call began; a sync counts when it has returned.
      if (answerIn(begun) === undefined) unfinished.set(thread, { call: begun, at: events.length });
      else push(begun);
      continue;
    }
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/s.exec(rest);
    if (resumed === null) push(rest);
    const earlier = unfinished.get(thread);
    unfinished.delete(thread);
    if (resumed !== null && earlier !== undefined) push(`${earlier.call}${resumed[1]}`, earlier.at);
  }
  for (const { call } of unfinished.values()) push(`${call}) = ?`);
  return events;
}

/** A call that had not returned when another thread made one, and the number of events before it. */
interface Begun {
  readonly call: string;
  readonly at: number;
}

/** An event without its number. */
type ReadEvent =
  | Omit<Extract<DiskEvent, { kind: "write" }>, "number">
  | Omit<Extract<DiskEvent, { kind: "truncate" }>, "number">
  | Omit<Extract<DiskEvent, { kind: "names" }>, "number">
  | Omit<Extract<DiskEvent, { kind: "sync" }>, "number" | "begun">
  | Omit<Extract<DiskEvent, { kind: "answer" }>, "number">;

const REQUEST_ID = /x-request-id: (\S+)/i;
const LINE = /^(\d+ \d+)\n$/;

function answerIn(call: string): ReadEvent | undefined {
  if (!/^writev?\((\d+<(TCP|socket)|1<)/.test(call)) return undefined;
  const sent = bytesIn(call).toString("latin1");
  const id = sent.startsWith("HTTP/1.1 200") ? REQUEST_ID.exec(sent)?.[1] : LINE.exec(sent)?.[1];
  return id === undefined ? undefined : { kind: "answer", id };
}

/** Which files the names in a folder mean, as calls change them. */
class FilesByName {
  readonly #folder: string;
  /** A removed name keeps its file: descriptors of it may be open. */
  readonly #files = new Map<string, string>();
  readonly #present = new Set<string>();
  /** Where the next write without a place goes. */
  readonly #ends = new Map<string, number>();
  #created = 0;

  constructor(folder: string, names: Iterable<string>) {
    this.#folder = folder;
    for (const name of names) {
      this.#files.set(name, name);
      this.#present.add(name);
    }
  }

  /** The name within the folder; `undefined` for a file that is elsewhere or left out. */
  nameOf(place: string): string | undefined {
    const name = path.relative(this.#folder, place.replace(/\(deleted\)$/, ""));
    const base = path.basename(name);
    const isOther = place === "" || name.startsWith("..") || path.isAbsolute(name);
    return isOther || base.endsWith("-shm") || base.startsWith("server.") ? undefined : name;
  }

  fileOf(name: string): string | undefined {
    return this.#files.get(name);
  }

  open(name: string, flags: string): ReadEvent | undefined {
    const file = this.#files.get(name);
    if (this.#present.has(name) && file !== undefined) {
      if (!flags.includes("O_TRUNC")) return undefined;
      this.#ends.set(file, 0);
      return { kind: "truncate", file, length: 0 };
    }
    if (!flags.includes("O_CREAT")) return undefined;
    const created = file === undefined ? name : `${name}#${++this.#created}`;
    return this.name(created, { [name]: created });
  }

  name(file: string, names: Readonly<Record<string, string | undefined>>): ReadEvent {
    for (const [name, target] of Object.entries(names)) {
      if (target === undefined) this.#present.delete(name);
      else {
        this.#present.add(name);
        this.#files.set(name, target);
      }
    }
    return { kind: "names", file, names };
  }

  append(file: string, bytes: Buffer): ReadEvent {
    const at = this.#ends.get(file) ?? 0;
    this.#ends.set(file, at + bytes.length);
    return { kind: "write", file, at, bytes };
  }
}

const BY_PATH: ReadonlySet<string> = new Set(["openat", "rename", "link", "unlink", "truncate"]);

function changeIn(call: string, files: FilesByName): ReadEvent | undefined {
  const name = call.slice(0, call.indexOf("(")).replace("fdatasync", "fsync");
  // The last argument, an offset or a length, and the return value.
  const [, last, answer = ""] = /(?:, (\d+))?\)\s+= (-?\d+|\?)[^=]*$/.exec(call.slice(-2000)) ?? [];
  const isFailed = answer === "" || answer.startsWith("-");
  if (BY_PATH.has(name)) return isFailed ? undefined : byPath(call, files);
  const place = files.nameOf(openedIn(call));
  if (place === undefined) return undefined;
  const file = files.fileOf(place);
  if (isFailed) throw new Error(`${name} of ${place} failed`);
  // A sync that did not return is none.
  if (name === "fsync") {
    return answer === "?" ? undefined : { kind: "sync", file: file ?? folderOf(place) };
  }
  return file === undefined ? undefined : contentsIn({ call, name, last, answer, file }, files);
}

/** The path of the descriptor; empty without one. */
function openedIn(call: string): string {
  return textOf(/^\w+\(\d+<([^>]*)>/.exec(call)?.[1] ?? "");
}

function folderOf(place: string): string {
  return `${place || "."}/`;
}

interface ContentCall {
  readonly call: string;
  readonly name: string;
  readonly last: string | undefined;
  readonly answer: string;
  readonly file: string;
}

function contentsIn(
  { call, name, last, answer, file }: ContentCall,
  files: FilesByName,
): ReadEvent {
  if (name === "ftruncate") return { kind: "truncate", file, length: Number(last) };
  const bytes = writtenBytes(call, answer);
  if (name === "pwrite64") return { kind: "write", file, at: Number(last), bytes };
  if (["write", "writev"].includes(name)) return files.append(file, bytes);
  throw new Error(`the recording does not show where ${name} writes in ${file}`);
}

/** The bytes that were written; all of them if the call did not return. */
function writtenBytes(call: string, answer: string): Buffer {
  const bytes = bytesIn(call);
  return answer === "?" ? bytes : bytes.subarray(0, Number(answer));
}

function byPath(call: string, files: FilesByName): ReadEvent | undefined {
  const [first, second] = stringsIn(call).map((each) => files.nameOf(each.toString()));
  if (first === undefined) return undefined;
  if (call.startsWith("openat")) return files.open(first, call);
  const file = files.fileOf(first);
  if (call.startsWith("truncate") || file === undefined) {
    throw new Error(`the recording does not know ${call}`);
  }
  if (call.startsWith("unlink")) return files.name(file, { [first]: undefined });
  if (second === undefined) throw new Error(`${first} leaves the recorded folder`);
  const kept = call.startsWith("link") ? {} : { [first]: undefined };
  return files.name(file, { ...kept, [second]: file });
}

/** A path, which may be written as bytes in hexadecimal. */
function textOf(given: string): string {
  return given.startsWith("\\x") ? bytesIn(`"${given}"`).toString() : given;
}

function bytesIn(call: string): Buffer {
  return Buffer.concat(stringsIn(call));
}

function stringsIn(call: string): Buffer[] {
  const parts: Buffer[] = [];
  for (let from = call.indexOf('"'); from !== -1;) {
    const end = call.indexOf('"', from + 1);
    parts.push(Buffer.from(call.slice(from + 1, end).replaceAll("\\x", ""), "hex"));
    from = call.indexOf('"', end + 1);
  }
  return parts;
}
