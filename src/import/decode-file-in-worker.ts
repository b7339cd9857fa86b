import type { SourceEnd } from "../source/open-source.ts";
import type { DecodeFile } from "./decode-points.ts";
import { DecodeThread } from "./decode-thread.ts";

/**
 * Lets the decoding thread read and digest the file itself: only points pass between threads, and neither
 * waits for the other's event loop.
 */
export const decodeFileInWorker: DecodeFile = async (file, { format, options }, take) => {
  const { path, sourceOptions, interrupted, onRead } = file;
  let end: SourceEnd | undefined;
  const thread = new DecodeThread(
    { formatName: format.name, options, file: { path, sourceOptions } },
    {
      take,
      other: (reply) => {
        if (reply.kind === "read") onRead(reply.bytes);
        else if (reply.kind === "source-end") end = reply.end;
      },
    },
  );
  const interrupt = (): void => thread.fail(interrupted.reason);
  interrupted.addEventListener("abort", interrupt);
  try {
    if (interrupted.aborted) interrupt();
    const summary = await thread.finish();
    if (end === undefined) throw new Error("BUG: no word of the end of the source");
    return { ...summary, end };
  } finally {
    interrupted.removeEventListener("abort", interrupt);
    await thread.terminate();
  }
};
