import type { Transform } from "node:stream";
import type { ChunkReader } from "./chunk-reader.ts";

/** A decompressor of `node:zlib`, made for one stream. */
export type Engine = Transform & { readonly bytesWritten: number };

/** How a compressed stream ended: where it says so itself, or before that, with the reason. */
export interface InflateEnd {
  /** What is wrong with it, continuing "the stream"; `undefined` if it is whole. */
  readonly broken: string | undefined;
}

/**
 * Compressed bytes given to the engine at once. Always this many, however they arrive: an engine
 * that meets damage keeps back what it inflated in that step, and which bytes those are must not
 * depend on the chunks.
 */
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
      if (watch.ending.broken === undefined) reader.putBack(watch.unused());
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
  engine.on("end", () => settle({ broken: undefined }));
  engine.on("error", (error) => settle({ broken: reasonOf(error) }));
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
function reasonOf(error: Error): string {
  if ("code" in error && error.code === "Z_BUF_ERROR") return "ends before its end mark";
  return `is damaged (${error.message})`;
}
