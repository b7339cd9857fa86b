/** One request, timed as whoever waits for it sees it. */

import { connect } from "node:net";

/** What is asked of a server on loopback. */
export interface Question {
  readonly port: number;
  /** With the query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Timed {
  /** From the begin of the connection to the first bytes of the answer. */
  readonly firstByteMs: number;
  /** Until its last byte. */
  readonly wholeMs: number;
  /** Head and framing included. */
  readonly bytes: number;
}

/** Every answer is read into this memory and forgotten: the client must not be what is measured. */
const FORGOTTEN = new Uint8Array(1024 * 1024);

const PATIENCE_MS = 30_000;

/** Asks over a connection of its own, reads to the end, and throws unless the status is 200. */
export function timedRequest(question: Question): Promise<Timed> {
  return new Promise((resolve, reject) => {
    const startedAtMs = performance.now();
    const answer = new ResponseEnd();
    let firstByteMs = 0;
    const socket = connect({
      host: "127.0.0.1",
      port: question.port,
      onread: {
        buffer: FORGOTTEN,
        callback(length) {
          if (answer.bytes === 0) firstByteMs = performance.now() - startedAtMs;
          if (answer.isEndOf(FORGOTTEN.subarray(0, length))) socket.destroy();
          return true;
        },
      },
    });
    socket.setTimeout(PATIENCE_MS, () => socket.destroy(new Error("no more bytes came")));
    socket.on("error", reject);
    socket.on("close", () => {
      const wholeMs = performance.now() - startedAtMs;
      const { bytes, status } = answer;
      if (status === "200") resolve({ firstByteMs, wholeMs, bytes });
      else reject(new Error(`status ${status} of ${question.path.slice(0, 200)}`));
    });
    socket.write(headOf(question));
  });
}

/** Not every server closes a connection when it is asked to: tells by the framing when all is there. */
class ResponseEnd {
  bytes = 0;
  status = "";
  #head = "";
  #bytesInAll = Infinity;
  #last = "";

  isEndOf(piece: Uint8Array): boolean {
    if (this.status === "") this.#readHead(piece);
    this.bytes += piece.length;
    this.#last = (this.#last + Buffer.from(piece.subarray(-9)).toString("latin1")).slice(-9);
    return this.bytes >= this.#bytesInAll || LAST_CHUNK.test(this.#last);
  }

  #readHead(piece: Uint8Array): void {
    this.#head += Buffer.from(piece).toString("latin1");
    const length = this.#head.indexOf("\r\n\r\n") + 4;
    if (length < 4) return;
    const head = this.#head.slice(0, length);
    this.status = /^HTTP\/1\.[01] (\d+)/.exec(head)?.[1] ?? "none";
    const bodyBytes = /^content-length: *(\d+)/im.exec(head)?.[1];
    if (bodyBytes !== undefined) this.#bytesInAll = length + Number(bodyBytes);
  }
}

/** QuestDB writes two digits. */
const LAST_CHUNK = /\r\n0+\r\n\r\n$/;

/** The body of the answer, for comparing. */
export async function bodyOf({ port, path, headers }: Question): Promise<Buffer> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { ...headers } });
  const body = Buffer.from(await answer.arrayBuffer());
  if (answer.status === 200) return body;
  throw new Error(`${answer.status}: ${body.toString("utf8", 0, 500)}`);
}

function headOf({ port, path, headers = {} }: Question): string {
  const lines = Object.entries({ Host: `127.0.0.1:${port}`, Connection: "close", ...headers });
  const text = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return `GET ${path} HTTP/1.1\r\n${text}\r\n`;
}
