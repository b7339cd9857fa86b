import type { Socket } from "node:net";
import { incomplete } from "./open-body.ts";
import { breakBody, type Exchange } from "../exchange.ts";
import { commonHeaders } from "../response/send-problem.ts";
import { HttpError } from "../response/http-error.ts";
import { nodeHttp } from "../node-server.ts";
import { problemOf } from "../response/problem.ts";

/** Responses in flight by connection, at most one each. */
export type ResponsesInFlight = Map<Socket, Exchange>;

interface Refusal {
  readonly underWay: ResponsesInFlight;
  readonly requestId: string;
  /** The connection is closed after this time even if the client keeps its side open. */
  readonly lingerMs: number;
}

/**
 * Responds to input that Node's parser rejects, in the common error format, and closes the connection.
 * A response in flight is completed instead, without the rest of the request's body: after unreadable
 * bytes the start of a next request is unknown.
 */
export function refuseUnreadable(
  error: Error & { readonly code?: string },
  socket: Socket,
  { underWay, requestId, lingerMs }: Refusal,
): { readonly status: number } | undefined {
  const answer = underWay.get(socket);
  if (answer !== undefined) {
    const { response } = answer;
    response.shouldKeepAlive = false;
    response.once("close", () => socket.destroySoon());
    breakBody(answer, httpErrorOf(error.code));
    return undefined;
  }
  // Already rejected: further input is dropped until the connection closes.
  if (socket.writableEnded) return undefined;
  if (!socket.writable || error.code === "ECONNRESET") {
    socket.destroy();
    return undefined;
  }
  const { status, headers, body } = problemOf(httpErrorOf(error.code), requestId);
  const allHeaders = {
    ...commonHeaders(requestId),
    ...headers,
    "Content-Length": String(Buffer.byteLength(body)),
    Connection: "close",
  };
  const head = Object.entries(allHeaders).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${nodeHttp.STATUS_CODES[status]}\r\n${head.join("")}\r\n${body}`);
  closeAfter(socket, lingerMs);
  return { status };
}

/**
 * Closes a socket after its last bytes, with a delay: closing while the client is still sending would
 * reset the connection, and the client would lose the response.
 */
export function closeAfter(socket: Socket, lingerMs: number): void {
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once("close", () => clearTimeout(timer));
}

function httpErrorOf(code: string | undefined): HttpError {
  if (code === "HPE_HEADER_OVERFLOW") {
    return new HttpError("headers-too-large", "the headers are larger than headerBytesMax allows");
  }
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") {
    return new HttpError("request-timeout", "the headers did not arrive within headersTimeoutMs");
  }
  if (code === "HPE_INVALID_EOF_STATE" || code === "ECONNRESET") return incomplete();
  return new HttpError("malformed-request", "the bytes sent are not an HTTP/1.1 request");
}
