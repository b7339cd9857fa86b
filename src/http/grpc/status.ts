import type { Problem } from "../response/problem.ts";
import { field, varint } from "../response/proto-message.ts";

/** Codes of gRPC by the statuses of HTTP that other doors answer. OTLP's senders repeat what is 4, 8 with a delay, or 14. */
const CODES: Readonly<Record<number, number>> = {
  400: 3,
  401: 16,
  403: 7,
  404: 12,
  408: 4,
  409: 9,
  413: 8,
  415: 12,
  421: 7,
  422: 3,
  429: 8,
  500: 13,
  503: 14,
};

const UNKNOWN_CODE = 2;

/** The trailers of a call that failed; the body is the message, and `Retry-After` becomes a `RetryInfo`. */
export function trailersOf({ status, body, headers }: Problem): Readonly<Record<string, string>> {
  const code = CODES[status] ?? UNKNOWN_CODE;
  const trailers = { "grpc-status": String(code), "grpc-message": percentEncoded(body) };
  const { "Retry-After": retryAfter } = headers;
  if (retryAfter === undefined) return trailers;
  const details = statusWithDelay(code, body, Number(retryAfter)).toString("base64");
  return { ...trailers, "grpc-status-details-bin": details };
}

/** As gRPC asks for: printable ASCII but the percent sign stays, other bytes of UTF-8 become `%XX`. */
function percentEncoded(text: string): string {
  const bytes = [...Buffer.from(text)];
  return bytes
    .map((byte) =>
      byte >= 0x20 && byte < 0x7f && byte !== 0x25
        ? String.fromCharCode(byte)
        : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`,
    )
    .join("");
}

/** A `google.rpc.Status` with a `google.rpc.RetryInfo`. */
function statusWithDelay(code: number, message: string, seconds: number): Buffer {
  const duration = [8, ...varint(seconds)];
  const type = field(1, Buffer.from("type.googleapis.com/google.rpc.RetryInfo"));
  const details = field(3, [...type, ...field(2, field(1, duration))]);
  return Buffer.from([8, code, ...field(2, Buffer.from(message)), ...details]);
}
