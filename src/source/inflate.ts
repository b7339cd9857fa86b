import type { Transform } from "node:stream";
import { UserError } from "../model/errors.ts";
import type { ChunkReader } from "./chunk-reader.ts";

const RATIO_LOOKED_AT_AFTER_BYTES = 1024 * 1024;

/** A decompressor of `node:zlib`, made for one stream. */
export type Engine = Transform & { readonly bytesWritten: number };

/** Why a compressed stream could not be read to its end. */
export interface StreamFault {
  /** Such as "it ends before its end mark". */
  readonly reason: string;
  /**
   * Whether bytes within the stream are wrong, so that nothing inflated from it can be trusted.
   * Otherwise the stream is cut, and what came before can be used.
   */
  readonly isDamaged: boolean;
}

/** How a compressed stream ended. */
export interface InflateEnd {
  /** `undefined` if it is whole. */
  readonly fault: StreamFault | undefined;
}

/** A stream that ends early, or is followed by something else. */
export function cutStream(reason: string): StreamFault {
  return { reason, isDamaged: false };
}

/** A stream with wrong bytes. */
export function damagedStream(reason: string): StreamFault {
  return { reason, isDamaged: true };
}

/** Compressed bytes given to the engine at once. */
const STEP_BYTES = 32 * 1024;

/**
 * Inflates one compressed stream of `reader` and leaves the reader behind its last byte. Holds one
 * step of input and about one buffer of output; stops with the consumer. `ownBytes` says how many bytes
 * of a step are of this stream, where that is known without the engine.
 */
export async function* inflate(
  reader: ChunkReader,
  engine: Engine,
  ownBytes: (step: Uint8Array) => number = (step) => step.length,
): AsyncGenerator<Uint8Array, InflateEnd> {
  const watch = watchEngine(engine);
  try {
    for (;;) {
      const step = await reader.take(STEP_BYTES);
      const own = ownBytes(step);
      reader.putBack(step.subarray(own));
      watch.give(step.subarray(0, own));
      yield* watch.pieces();
      if (watch.ending === undefined) continue;
      if (watch.ending.fault === undefined) reader.putBack(watch.unused());
      return watch.ending;
    }
  } finally {
    engine.destroy();
  }
}

interface EngineWatch {
  /** `undefined` while the stream goes on. */
  readonly ending: InflateEnd | undefined;
  /** Gives the next bytes; none means that there are no more. */
  give(bytes: Uint8Array): void;
  /** What comes out until the bytes given are used up or the stream ends. */
  pieces(): AsyncGenerator<Uint8Array, void>;
  /** What was given last and lies behind the end of the stream. */
  unused(): Uint8Array;
}

/**
 * Reads the engine by hand: iterating over it would throw away what is buffered when it fails.
 */
function watchEngine(engine: Engine): EngineWatch {
  let ending: InflateEnd | undefined;
  let given: Uint8Array = new Uint8Array(0);
  let givenBytes = 0;
  let done = true;
  let wake: (() => void) | undefined;
  const settle = (end: InflateEnd): void => {
    ending ??= end;
    wake?.();
  };
  engine.on("readable", () => wake?.());
  engine.on("end", () => settle({ fault: undefined }));
  engine.on("error", (error) => settle({ fault: faultOf(error) }));
  return {
    get ending() {
      return ending;
    },
    give(bytes) {
      given = bytes;
      givenBytes += bytes.length;
      done = false;
      if (bytes.length === 0) engine.end();
      else {
        engine.write(bytes, () => {
          done = true;
          wake?.();
        });
      }
    },
    async *pieces() {
      for (;;) {
        const piece = engine.read() as Uint8Array | null;
        if (piece !== null) yield piece;
        else if (ending !== undefined) return;
        // Done with a part of it means that the stream has ended: its `end` is about to come.
        else if (done && engine.bytesWritten === givenBytes) return;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    },
    unused: () => given.subarray(given.length - (givenBytes - engine.bytesWritten)),
  };
}

/** `Z_BUF_ERROR` is the code for input that ends too early. */
function faultOf(error: Error): StreamFault {
  if ("code" in error && error.code === "Z_BUF_ERROR")
    return cutStream("it ends before its end mark");
  return damagedStream(error.message);
}

/** How far a compressed source may inflate. Meant for uploads; local files need no limit. */
export interface InflateLimit {
  readonly inflatedBytes: number;
  /** Inflated bytes for one byte given, looked at once more than 1 MiB was inflated. */
  readonly ratio: number;
}

/** Throws `source-too-large` where `inflatedBytes` from `givenBytes` go beyond the limit. */
export function checkInflated(
  limit: InflateLimit,
  inflatedBytes: number,
  givenBytes: number,
): void {
  if (inflatedBytes > limit.inflatedBytes) {
    throw new UserError(
      "source-too-large",
      `the source inflates to more than the ${limit.inflatedBytes} bytes allowed`,
    );
  }
  if (inflatedBytes <= RATIO_LOOKED_AT_AFTER_BYTES) return;
  if (inflatedBytes > givenBytes * limit.ratio) {
    throw new UserError(
      "source-too-large",
      `the source inflates to ${inflatedBytes} bytes from ${givenBytes}: more than ${limit.ratio} to 1`,
    );
  }
}
