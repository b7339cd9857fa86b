import { setImmediate as nextTurn } from "node:timers/promises";
import { readFileHere } from "../source/chunk-reader.ts";
import { openSource } from "../source/open-source.ts";
import { type DecodeFile, decodePoints } from "./decode-points.ts";

/** Reads and decodes in this thread, yielding to the event loop every few megabytes. */
export const decodeFile: DecodeFile = async (file, job, take) => {
  const { path, sourceOptions, interrupted, onRead } = file;
  const chunks = readFileHere(path, async (readBytes) => {
    onRead(readBytes);
    await nextTurn();
    interrupted.throwIfAborted();
  });
  const source = openSource(chunks, sourceOptions);
  const summary = await decodePoints(source.bytes(), job, take);
  return { ...summary, end: source.end() };
};
