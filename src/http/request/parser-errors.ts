import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { incomplete } from "./open-body.ts";
import { commonHeaders } from "../response/common-headers.ts";
import { HttpError } from "../response/http-error.ts";
import { nodeHttp } from "../node-server.ts";
import { problemOf } from "../response/problem.ts";

/** Answers under way, by connection; a connection has one at a time. */
export type ResponsesInFlight = Map<Socket, ResponseInFlight>;

interface ResponseInFlight {
  readonly response: ServerResponse;
  /** Ends the reading of the request's body with an `HttpError`, where it is being read. */
  breakBody(reason: HttpError): void;
}

/** How `refuseUnreadable` answers. */
interface Refusal {
  readonly underWay: ResponsesInFlight;
  readonly requestId: string;
  /** The connection is closed after this time, whether or not the client closes its side. */
  readonly lingerMs: number;
}

/**
 * Answers what Node's parser refuses before there is a request, in the same form as all errors, and
 * closes the connection. Where an answer is under way on it, that one is finished, without more of
 * the body than is there, and no second one given: after bytes that cannot be read nobody knows
 * where a request would begin.
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
    answer.breakBody(httpErrorOf(error.code));
    return undefined;
  }
  // Already refused: what still arrives is dropped until the connection is closed.
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
 * Closes a socket whose last bytes were written. Not at once: closing on a client that is still
 * sending resets the connection, and the client loses the answer.
 */
function closeAfter(socket: Socket, lingerMs: number): void {
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once("close", () => clearTimeout(timer));
}

function httpErrorOf(code: string | undefined): HttpError {
  if (code === "HPE_HEADER_OVERFLOW") {
    return new HttpError("headers-too-large", "the headers are larger than headerBytesMax allows");
  }
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") {
    return new HttpError(
      "request-timeout",
      "the headers did not arrive within the time of headersTimeoutMs",
    );
  }
  if (code === "HPE_INVALID_EOF_STATE" || code === "ECONNRESET") return incomplete();
  return new HttpError("malformed-request", "the bytes sent are not a request of HTTP/1.1");
}
