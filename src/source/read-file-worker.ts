/** Worker thread of `read-file.ts`: reads and digests one file after another. */

import { closeSync, openSync, readSync } from "node:fs";
import { type MessagePort, workerData } from "node:worker_threads";
import { unreadableFile } from "../model/errors.ts";
import { type Beginning, type Digests, SourceDigest } from "./source-digest.ts";

/** Opens a file, or receives a buffer for its next bytes. */
export type ReadFileOrder =
  | { readonly path: string; readonly beginnings: readonly Beginning[] }
  | Uint8Array<ArrayBuffer>;

/** The next bytes, in a buffer that was received; the digests of all bytes, at the end; or why the file cannot be read. */
export type ReadFileReply = Uint8Array<ArrayBuffer> | Digests | { readonly refusal: string };

const port = workerData as MessagePort;
let path = "";
let digest: SourceDigest | undefined;
/** `undefined` between files: buffers that arrive then were meant for the previous one. */
let file: number | undefined;

port.on("message", (order: ReadFileOrder) => {
  try {
    if (order instanceof Uint8Array) fill(order);
    else open(order);
  } catch (error) {
    file = undefined;
    send({ refusal: unreadableFile(path, error).message });
  }
});

function open(order: Exclude<ReadFileOrder, Uint8Array>): void {
  path = order.path;
  digest = new SourceDigest(order.beginnings);
  file = openSync(path, "r");
}

function fill(buffer: Uint8Array<ArrayBuffer>): void {
  if (file === undefined || digest === undefined) return;
  const bytes = buffer.subarray(0, readSync(file, buffer));
  digest.update(bytes);
  if (bytes.length > 0) {
    send(bytes, [bytes.buffer]);
    return;
  }
  closeSync(file);
  file = undefined;
  send(digest.finish());
}

function send(reply: ReadFileReply, transfer: ArrayBuffer[] = []): void {
  port.postMessage(reply, transfer);
}
