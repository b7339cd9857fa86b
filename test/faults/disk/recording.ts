/**
 * What a process did to the files of its data directory, and when its responses left it, read from strace. A
 * change is `isUnfinished` if the process was killed during the call: the kernel drops a call that it has not
 * begun, so only the files show whether the change was made.
 */

import { createReadStream } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";

export type DiskEvent = (
  | {
      readonly kind: "write";
      readonly file: string;
      readonly at: number;
      readonly bytes: Buffer;
    }
  | { readonly kind: "truncate"; readonly file: string; readonly length: number }
  | { readonly kind: "remove"; readonly file: string }
  /** What was written to the file before the sync began, at the event with this number, is on the disk. */
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
  const calls = "pwrite64,write,writev,pwritev,ftruncate,truncate,rename,unlink,fsync,fdatasync";
  return ["-yy", "-xx", "-s", "10000000", "-e", `trace=${calls}`, "-o", log];
}

/**
 * Reads a recording, in order. File names are relative to `folder`. Leaves out files that need not survive:
 * SQLite recreates its shared memory, and the lock of servers has no contents.
 */
export async function readRecording(log: string, folder: string): Promise<DiskEvent[]> {
  const events: DiskEvent[] = [];
  const unfinished = new Map<string, Begun>();
  const push = (call: string, begun = events.length): void => {
    const event = answerIn(call) ?? changeIn(call, folder);
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
      if (/^writev?\(/.test(begun)) push(begun);
      else unfinished.set(thread, { call: begun, at: events.length });
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
  | Omit<Extract<DiskEvent, { kind: "remove" }>, "number">
  | Omit<Extract<DiskEvent, { kind: "sync" }>, "number" | "begun">
  | Omit<Extract<DiskEvent, { kind: "answer" }>, "number">;

const BY_PATH: ReadonlySet<string> = new Set(["unlink", "rename", "truncate"]);

const REQUEST_ID = /x-request-id: (\S+)/i;
const LINE = /^(\d+ \d+)\n$/;

function answerIn(call: string): ReadEvent | undefined {
  if (!/^writev?\((\d+<(TCP|socket)|1<)/.test(call)) return undefined;
  const sent = stringsIn(call).toString("latin1");
  const id = sent.startsWith("HTTP/1.1 200") ? REQUEST_ID.exec(sent)?.[1] : LINE.exec(sent)?.[1];
  return id === undefined ? undefined : { kind: "answer", id };
}

function changeIn(call: string, folder: string): ReadEvent | undefined {
  const name = call.slice(0, call.indexOf("(")).replace("fdatasync", "fsync");
  if (BY_PATH.has(name)) return byPath(call, folder);
  const file = nameIn(/^\w+\(\d+<([^>]*)>/.exec(call)?.[1] ?? "", folder);
  if (file === undefined) return undefined;
  // The last argument, an offset or a length, and the return value.
  const [, last, answer] = /(?:, (\d+))?\)\s+= (-?\d+|\?)[^=]*$/.exec(call.slice(-80)) ?? [];
  if (answer === undefined || answer.startsWith("-")) throw new Error(`${name} of ${file} failed`);
  switch (name) {
    case "fsync":
      return answer === "?" ? undefined : { kind: "sync", file };
    case "ftruncate":
      return { kind: "truncate", file, length: Number(last) };
    case "pwrite64":
      return { kind: "write", file, at: Number(last), bytes: writtenBytes(call, answer) };
    default:
      throw new Error(`the recording does not tell where ${name} writes in ${file}`);
  }
}

/** The bytes that were written; all of them if the call did not return. */
function writtenBytes(call: string, answer: string): Buffer {
  const bytes = stringsIn(call);
  return answer === "?" ? bytes : bytes.subarray(0, Number(answer));
}

function byPath(call: string, folder: string): ReadEvent | undefined {
  const file = nameIn(stringsIn(call).toString(), folder);
  if (file === undefined) return undefined;
  if (!call.startsWith("unlink")) throw new Error(`the recording does not know ${call}`);
  return { kind: "remove", file };
}

function nameIn(file: string, folder: string): string | undefined {
  const named = file.startsWith("\\x") ? stringsIn(`"${file}"`).toString() : file;
  const name = path.relative(folder, named.replace(/\(deleted\)$/, ""));
  const isOther = name.startsWith("..") || path.isAbsolute(name) || name === "";
  return isOther || name.endsWith("-shm") || name.startsWith("server.") ? undefined : name;
}

/** All strings of a call, concatenated. */
function stringsIn(call: string): Buffer {
  const parts: Buffer[] = [];
  for (let from = call.indexOf('"'); from !== -1;) {
    const end = call.indexOf('"', from + 1);
    parts.push(Buffer.from(call.slice(from + 1, end).replaceAll("\\x", ""), "hex"));
    from = call.indexOf('"', end + 1);
  }
  return Buffer.concat(parts);
}
