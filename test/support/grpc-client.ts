/** Unary calls of gRPC over `node:http2`, so that tests control every frame. */

import { once } from "node:events";
import http2, { type ClientHttp2Session, type ClientHttp2Stream } from "node:http2";

export const TRACES = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";
export const METRICS = "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export";

export interface GrpcAnswer {
  /** Of HTTP. */
  readonly httpStatus: number;
  /** `grpc-status`; `undefined` without one. */
  readonly code: number | undefined;
  /** Decoded. */
  readonly message: string;
  readonly details: Buffer | undefined;
  /** The response message with its prefix; empty without one. */
  readonly body: Buffer;
}

/** `address`: host and port. */
export async function connectGrpc(
  address: string,
  options: http2.ClientSessionOptions | http2.SecureClientSessionOptions = {},
): Promise<ClientHttp2Session> {
  const scheme = "ca" in options ? "https" : "http";
  const session = http2.connect(`${scheme}://${address}`, options);
  session.on("error", () => undefined);
  await once(session, "connect");
  return session;
}

/** Begins a call; `metadata` may replace the usual headers. */
export function beginCall(
  session: ClientHttp2Session,
  path: string,
  metadata: http2.OutgoingHttpHeaders = {},
): ClientHttp2Stream {
  return session.request({
    ":method": "POST",
    ":path": path,
    "content-type": "application/grpc",
    te: "trailers",
    ...metadata,
  });
}

export function framed(message: Uint8Array, flag = 0): Buffer {
  const prefix = Buffer.alloc(5);
  prefix[0] = flag;
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

/** What was answered until the stream closed. */
export async function answerTo(stream: ClientHttp2Stream): Promise<GrpcAnswer> {
  let headers: http2.IncomingHttpHeaders = {};
  let trailers: http2.IncomingHttpHeaders = {};
  const received: Buffer[] = [];
  stream.on("error", () => undefined);
  stream.on("response", (each) => (headers = each));
  stream.on("trailers", (each) => (trailers = each));
  stream.on("data", (chunk: Buffer) => received.push(chunk));
  await new Promise<void>((resolve) => {
    if (stream.destroyed) resolve();
    else stream.once("close", () => resolve());
  });
  const all = { ...headers, ...trailers };
  const code = all["grpc-status"];
  const details = all["grpc-status-details-bin"]?.toString();
  return {
    httpStatus: Number(headers[":status"]),
    code: code === undefined ? undefined : Number(code),
    message: decodeURIComponent(all["grpc-message"]?.toString() ?? ""),
    details: details === undefined ? undefined : Buffer.from(details, "base64"),
    body: Buffer.concat(received),
  };
}

/** Sends all of a call. */
export function call(
  session: ClientHttp2Session,
  path: string,
  body: Uint8Array,
  metadata: http2.OutgoingHttpHeaders = {},
): Promise<GrpcAnswer> {
  const stream = beginCall(session, path, metadata);
  const answer = answerTo(stream);
  stream.end(body);
  return answer;
}
