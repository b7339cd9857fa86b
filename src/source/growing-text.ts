import { refusedContainer } from "./container-kind.ts";
import { isGzip } from "./gzip.ts";
import { unreadable } from "./plain-text.ts";
import { isUtf16, markLength } from "./text-encoding.ts";
import { isZstd } from "./zstd.ts";

/** As many bytes as `textStart` wants to see, where a file has them. */
export { CONTAINER_HEAD_BYTES as TEXT_START_BYTES } from "./container-kind.ts";

/**
 * Where the text of a file begins that is read while it grows: behind a byte order mark. Throws
 * `unreadable-source` for what can only be read as a whole.
 */
export function textStart(head: Uint8Array): number {
  const refused = refusedContainer(head) ?? refusedForGrowing(head);
  if (refused !== undefined) throw unreadable(refused);
  return markLength(head) ?? 0;
}

function refusedForGrowing(head: Uint8Array): string | undefined {
  const kind = isGzip(head) ? "gzip" : isZstd(head) ? "zstd" : undefined;
  if (kind !== undefined) {
    return `it is compressed (${kind}) and cannot be followed: import it when it is finished`;
  }
  if (!isUtf16(head)) return undefined;
  return "it is UTF-16 and cannot be followed: let it be written as UTF-8, or import it when it is finished";
}
