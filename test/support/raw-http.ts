/** HTTP over a plain socket, so that tests control every byte. */

import { type Socket, connect } from "node:net";

export interface RawAnswer {
  readonly status: number;
  /** Names in lower case; the values of a repeated header are joined with a line break. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
  /** Whether the body has the announced length or the last chunk. */
  readonly isComplete: boolean;
}

/** Sends `request` and collects everything until the server closes the connection. */
export async function exchange(port: number, request: string | Buffer): Promise<Buffer> {
  const socket = await open(port);
  const received: Buffer[] = [];
  const closed = new Promise<void>((resolve) => {
    socket.on("data", (bytes: Buffer) => received.push(bytes));
    socket.on("error", () => undefined);
    socket.on("close", () => resolve());
  });
  // One byte per character, so that a string can hold any byte.
  socket.write(typeof request === "string" ? Buffer.from(request, "latin1") : request);
  await closed;
  return Buffer.concat(received);
}

/**
 * Resolves when the connection is closed, with or without an error. Call it before the action that closes the
 * connection: a busy process can receive both events at once.
 */
export function closeOf(socket: Socket): Promise<void> {
  socket.on("error", () => undefined);
  return new Promise((resolve) => socket.once("close", () => resolve()));
}

export function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => resolve(socket));
    socket.once("error", reject);
  });
}

/** Parses a byte stream; `bodyless` has the indexes of responses to HEAD requests. */
export function parseAnswers(bytes: Buffer, bodyless: readonly number[] = []): RawAnswer[] {
  const answers: RawAnswer[] = [];
  let rest = bytes;
  while (rest.length > 0) {
    const end = rest.indexOf("\r\n\r\n");
    if (end === -1) throw new Error(`no end of headers in ${JSON.stringify(rest.toString())}`);
    const [statusLine = "", ...lines] = rest.subarray(0, end).toString("latin1").split("\r\n");
    const status = /^HTTP\/1\.1 (\d{3}) [ -~]+$/.exec(statusLine)?.[1];
    if (status === undefined) throw new Error(`not a status line: ${statusLine}`);
    const headers = parseHeaders(lines);
    rest = rest.subarray(end + 4);
    const hasBody = !bodyless.includes(answers.length) && !["204", "304", "100"].includes(status);
    const { body, used, isComplete } = hasBody
      ? parseBody(rest, headers)
      : { body: Buffer.alloc(0), used: 0, isComplete: true };
    rest = rest.subarray(used);
    answers.push({ status: Number(status), headers, body, isComplete });
  }
  return answers;
}

function parseHeaders(lines: readonly string[]): Map<string, string> {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const [, name, value] = /^([!-9;-~]+): (.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) throw new Error(`not a header: ${line}`);
    const key = name.toLowerCase();
    headers.set(key, headers.has(key) ? `${headers.get(key)}\n${value}` : value);
  }
  return headers;
}

interface ParsedBody {
  readonly body: Buffer;
  readonly used: number;
  readonly isComplete: boolean;
}

function parseBody(bytes: Buffer, headers: ReadonlyMap<string, string>): ParsedBody {
  if (headers.get("transfer-encoding") === "chunked") return parseChunks(bytes);
  const length = Number(headers.get("content-length") ?? bytes.length);
  const body = bytes.subarray(0, length);
  return { body, used: body.length, isComplete: body.length === length };
}

function parseChunks(bytes: Buffer): ParsedBody {
  const chunks: Buffer[] = [];
  let at = 0;
  for (;;) {
    const lineEnd = bytes.indexOf("\r\n", at);
    if (lineEnd === -1)
      return { body: Buffer.concat(chunks), used: bytes.length, isComplete: false };
    const length = Number.parseInt(bytes.subarray(at, lineEnd).toString(), 16);
    const chunk = bytes.subarray(lineEnd + 2, lineEnd + 2 + length);
    at = lineEnd + 2 + length + 2;
    if (chunk.length < length || at > bytes.length) {
      return { body: Buffer.concat(chunks), used: bytes.length, isComplete: false };
    }
    if (length === 0) return { body: Buffer.concat(chunks), used: at, isComplete: true };
    chunks.push(chunk);
  }
}
