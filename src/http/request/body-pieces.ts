import type { IncomingMessage, ServerResponse } from "node:http";
import { afterSilence } from "../response/guarded-writes.ts";
import { HttpError } from "../response/http-error.ts";

/** A request whose body may be read. */
export interface BodyCarrier {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Aborted, with an `HttpError` as its reason, once the rest of the body can never be read. */
  readonly broken: AbortSignal;
  /** A sender that sends nothing for so long is given up. */
  readonly stallMs: number;
  /** Called when the last byte was read. */
  readonly onEnd: () => void;
}

/**
 * The bytes of a body as they were sent, chunks undone. Ends only where the body does: throws
 * `body-incomplete` where the client goes away, `request-timeout` where it stalls, and the reason of
 * `broken`. To be read once; reading no further leaves the connection to whoever answers.
 */
export async function* readSent(carrier: BodyCarrier): AsyncGenerator<Uint8Array> {
  const { request, response } = carrier;
  if (request.headers.expect?.toLowerCase() === "100-continue") response.writeContinue();
  const pieces = request.iterator({ destroyOnReturn: false });
  for (;;) {
    const piece = await beforeItBreaks(pieces.next(), carrier);
    if (piece.done === true) break;
    yield piece.value as Uint8Array;
  }
  carrier.onEnd();
}

/** The piece may never come once the connection is broken: nothing is left waiting for it then. */
async function beforeItBreaks<Result>(
  piece: Promise<Result>,
  { broken, stallMs }: BodyCarrier,
): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const breakOff = (): void => reject(broken.reason as HttpError);
  if (broken.aborted) breakOff();
  broken.addEventListener("abort", breakOff, { once: true });
  const cancel = afterSilence(stallMs, () => {
    reject(
      new HttpError("request-timeout", `nothing of the body came for ${stallMs} ms (bodyStallMs)`),
    );
  });
  piece.then(resolve, () => reject(incomplete()));
  try {
    return await promise;
  } finally {
    cancel();
    broken.removeEventListener("abort", breakOff);
  }
}

/** A body that ends before its announced length or last chunk. */
export function incomplete(): HttpError {
  return new HttpError("body-incomplete", "the connection ended before the body did");
}
