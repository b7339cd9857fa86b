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

/** Asks over a connection of its own, reads to its end, and throws unless the status is 200. */
export function timedRequest(question: Question): Promise<Timed> {
  return new Promise((resolve, reject) => {
    const startedAtMs = performance.now();
    let firstByteMs: number | undefined;
    let bytes = 0;
    const socket = connect({
      host: "127.0.0.1",
      port: question.port,
      onread: {
        buffer: FORGOTTEN,
        callback(length) {
          if (firstByteMs === undefined) {
            firstByteMs = performance.now() - startedAtMs;
            const status = Buffer.from(FORGOTTEN.subarray(0, 12)).toString("latin1");
            if (!/^HTTP\/1\.[01] 200$/.test(status)) {
              reject(new Error(`${status} from ${question.path.slice(0, 200)}`));
              socket.destroy();
              return false;
            }
          }
          bytes += length;
          return true;
        },
      },
    });
    socket.on("error", reject);
    socket.on("close", () => {
      const wholeMs = performance.now() - startedAtMs;
      if (firstByteMs === undefined) reject(new Error("closed without an answer"));
      else resolve({ firstByteMs, wholeMs, bytes });
    });
    socket.write(headOf(question));
  });
}

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
