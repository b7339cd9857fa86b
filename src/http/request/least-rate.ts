import { HttpError } from "../response/http-error.ts";

/** A sender may be behind by so much, or have stopped for so long, before it loses its place. */
const BEHIND_MS_MAX = 1000;
/** What a sender that was faster than it had to be has saved up. */
const AHEAD_MS_MAX = 500;
const LOOK_EACH_MS = 100;

/** What a sender is held to. */
export interface LeastRate {
  /** 0: none. */
  readonly bytesPerSecondMin: number;
  /** Whether somebody waits for the place of this sender. Otherwise it may be as slow as it likes. */
  readonly isAwaited: () => boolean;
}

/**
 * Hands the chunks of a body on. Only the time in which a chunk is waited for counts against its
 * sender, not what is done with it. Throws `request-timeout` where the sender is too slow while
 * somebody waits for its place, and what `chunks` throws.
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
    `fewer than ${bytesPerSecondMin} bytes of the body came a second (uploadBytesPerSecondMin) ` +
      "while other uploads waited: send it again over a faster connection, or when there are fewer",
  );
}

/** What has come by then is taken first: a process that had too much to do blames nobody for it. */
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
