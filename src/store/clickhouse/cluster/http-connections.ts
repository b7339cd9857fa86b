/**
 * HTTP client for one server. @clickhouse/client sends binary formats only through `exec`, as a stream
 * without a length, and does not support servers before 23.3.
 */

import { Agent, type ClientRequest, type IncomingMessage, request } from "node:http";
import { Agent as TlsAgent, request as requestTls } from "node:https";
import type { Socket } from "node:net";

/** Connections per server; further requests wait. */
const SOCKETS_MAX = 64;

const CONNECT_MS_MAX = 3000;

interface Post {
  /** Query string, including "?". */
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: readonly Uint8Array[];
  readonly signal?: AbortSignal | undefined;
  /** Maximum silence until the head of the response. */
  readonly silenceMsMax: number;
}

export interface Connections {
  /** Returns the response, whatever its status. Read its body to the end, or destroy it. */
  post(post: Post): Promise<IncomingMessage>;
  /** Also aborts running requests. */
  close(): void;
}

/** `lost` is called for each closed connection, the first sign of a killed server. */
export function openConnections(
  url: string,
  certificateAuthority: string | undefined,
  lost: () => void,
): Connections {
  const isTls = url.startsWith("https:");
  const send = isTls ? requestTls : request;
  const options = { keepAlive: true, maxSockets: SOCKETS_MAX, maxFreeSockets: SOCKETS_MAX };
  const ca = certificateAuthority === undefined ? {} : { ca: certificateAuthority };
  const agent = isTls ? new TlsAgent({ ...options, ...ca }) : new Agent(options);
  const watched = new WeakSet<Socket>();

  function watch(socket: Socket): void {
    if (watched.has(socket)) return;
    watched.add(socket);
    socket.once("close", lost);
    limitConnecting(socket, isTls ? "secureConnect" : "connect");
  }

  function attempt({ query, headers, body, signal, silenceMsMax }: Post): Promise<IncomingMessage> {
    const sizeBytes = body.reduce((sum, chunk) => sum + chunk.byteLength, 0);
    const call = send(`${url}/${query}`, {
      method: "POST",
      agent,
      headers: { ...headers, "Content-Length": sizeBytes },
      signal,
    });
    call.on("socket", watch);
    call.setTimeout(silenceMsMax, () => call.destroy(new Error(`silent for ${silenceMsMax} ms`)));
    for (const chunk of body) call.write(chunk);
    call.end();
    return answerTo(call);
  }

  return {
    async post(post) {
      try {
        return await attempt(post);
      } catch (error) {
        if (!(error instanceof WornConnection)) throw error;
        return attempt(post);
      }
    },
    close: () => agent.destroy(),
  };
}

/** A kept-alive connection broke before a response: the server may have closed it as idle. */
class WornConnection extends Error {}

function answerTo(call: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    // Stays attached after the response: destroying an unread body fails the request.
    call.on("error", (error: NodeJS.ErrnoException) => {
      const isWorn = call.reusedSocket && (error.code === "ECONNRESET" || error.code === "EPIPE");
      reject(isWorn ? new WornConnection(error.message, { cause: error }) : error);
    });
    call.once("response", (answer: IncomingMessage) => {
      // From here on, a slow reader is not a time-out.
      call.setTimeout(0);
      // A server may refuse a body that it has not read, and the memory of the body is used again once the response has ended.
      answer.once("end", () => {
        if (!call.writableFinished) call.destroy();
      });
      resolve(answer);
    });
  });
}

function limitConnecting(socket: Socket, connected: "connect" | "secureConnect"): void {
  const timer = setTimeout(() => {
    socket.destroy(new Error(`no connection within ${CONNECT_MS_MAX} ms`));
  }, CONNECT_MS_MAX);
  socket.once(connected, () => clearTimeout(timer));
  socket.once("close", () => clearTimeout(timer));
}
