import type { Exchange } from "../exchange.ts";
import { afterSilence } from "../response/guarded-writes.ts";
import { HttpError } from "../response/http-error.ts";

/**
 * The bytes of a body as they were sent, chunks undone. Ends only where the body does: throws
 * `body-incomplete` where the client goes away, `request-timeout` where it sends nothing for `stallMs`, and the
 * reason of `broken`. To be read once; reading no further leaves the connection to whoever answers.
 */
export async function* readSent(exchange: Exchange, stallMs: number): AsyncGenerator<Uint8Array> {
  const { request, response, broken } = exchange;
  if (request.headers.expect?.toLowerCase() === "100-continue") response.writeContinue();
  const chunks = request.iterator({ destroyOnReturn: false });
  for (;;) {
    const chunk = await beforeItBreaks(chunks.next(), broken.signal, stallMs);
    if (chunk.done === true) break;
    yield chunk.value as Uint8Array;
  }
  exchange.isBodyRead = true;
}

/** The chunk may never come once the connection is broken: nothing is left waiting for it then. */
async function beforeItBreaks<Result>(
  chunk: Promise<Result>,
  broken: AbortSignal,
  stallMs: number,
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
  chunk.then(resolve, () => reject(incomplete()));
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
