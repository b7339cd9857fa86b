import { createHash } from "node:crypto";
import { LABEL_BYTES_MAX } from "../decoder.ts";

const HASH_LENGTH = 12;
const CONTINUATION_MASK = 0xc0;
const CONTINUATION = 0x80;

/** `LABEL_BYTES_MAX` bytes at most of a longer label: its beginning, and a hash of all of it that keeps labels apart. */
export function shortenedLabel(label: Uint8Array): Uint8Array {
  const hash = createHash("sha256").update(label).digest("hex").slice(0, HASH_LENGTH);
  const end = Buffer.from(`…${hash}`);
  let length = LABEL_BYTES_MAX - end.length;
  while (((label[length] ?? 0) & CONTINUATION_MASK) === CONTINUATION) length -= 1;
  return Buffer.concat([label.subarray(0, length), end]);
}
