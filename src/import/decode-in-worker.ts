import type { DecodePoints } from "./decode-points.ts";
import { DecodeThread, STRETCHES_MAX } from "./decode-thread.ts";
import type { DecodeOrder } from "./decode-worker.ts";

/** Size and number of the buffers that carry bytes to the worker and are reused. */
const BUFFER_BYTES = 512 * 1024;
const BUFFERS = 8;

/**
 * Decodes in a worker thread, so that this thread's event loop stays free. For a large file it takes a third more processor
 * time than decoding in this thread.
 */
export const decodePointsInWorker: DecodePoints = async (bytes, { format, options }, take) => {
  const buffers = Array.from({ length: BUFFERS }, () => new Uint8Array(BUFFER_BYTES));
  const thread = new DecodeThread(
    { formatName: format.name, options },
    { take, takeBack: (buffer) => void buffers.push(buffer) },
  );
  const order = (message: DecodeOrder, transfer: ArrayBuffer[] = []): void =>
    thread.post(message, transfer);
  try {
    for await (const chunk of bytes) {
      for (let at = 0; at < chunk.length; at += BUFFER_BYTES) {
        const part = chunk.subarray(at, at + BUFFER_BYTES);
        await thread.until(() => buffers.length > 0 && thread.waitingStretches < STRETCHES_MAX);
        const buffer = buffers.pop() as Uint8Array<ArrayBuffer>;
        buffer.set(part);
        order({ buffer, length: part.length }, [buffer.buffer]);
      }
    }
    order("end");
    return await thread.finish();
  } finally {
    await thread.terminate();
  }
};
