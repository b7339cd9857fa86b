import { HttpError } from "../response/http-error.ts";

/** How far a sender may fall behind before it is disconnected. */
const BEHIND_MS_MAX = 1000;
/** The most credit that a fast sender can accumulate. */
const AHEAD_MS_MAX = 500;
const LOOK_EACH_MS = 100;

export interface LeastRate {
  /** 0: none. */
  readonly bytesPerSecondMin: number;
  /** Whether others wait for this sender to finish. Otherwise there is no minimum. */
  readonly isAwaited: () => boolean;
}

/**
 * Passes the chunks of a body through. Only the time spent waiting for a chunk counts, not its
 * processing. Throws `request-timeout` if the sender is too slow while others wait, and errors of
 * `chunks`.
 */
export async function* atLeastRate(
  chunks: AsyncIterable<Uint8Array>,
  { bytesPerSecondMin, isAwaited }: LeastRate,
): AsyncGenerator<Uint8Array> {
  if (bytesPerSecondMin === 0) {
    yield* chunks;
    return;
  }
  let behindMs = 0;
  const source = chunks[Symbol.asyncIterator]();
  for (;;) {
    const askedAtMs = performance.now();
    const isTooSlow = (): boolean =>
      isAwaited() && behindMs + performance.now() - askedAtMs >= BEHIND_MS_MAX;
    const next = await unless(isTooSlow, source.next(), () => tooSlow(bytesPerSecondMin));
    if (next.done === true) return;
    behindMs += performance.now() - askedAtMs - (1000 * next.value.length) / bytesPerSecondMin;
    behindMs = Math.max(behindMs, -AHEAD_MS_MAX);
    yield next.value;
  }
}

function tooSlow(bytesPerSecondMin: number): HttpError {
  return new HttpError(
    "request-timeout",
    `the body arrived at fewer than ${bytesPerSecondMin} bytes per second (uploadBytesPerSecondMin) ` +
      "while other uploads waited: send it again over a faster connection, or when there are fewer",
  );
}

/** Pending input is read first, so that a busy process does not blame the sender for its own delay. */
function unless<Next>(
  isOver: () => boolean,
  next: Promise<Next>,
  error: () => HttpError,
): Promise<Next> {
  const { promise, resolve, reject } = Promise.withResolvers<Next>();
  const timer = setInterval(() => {
    if (isOver()) setImmediate(() => reject(error()));
  }, LOOK_EACH_MS);
  next.then(resolve, reject);
  return promise.finally(() => clearInterval(timer));
}
