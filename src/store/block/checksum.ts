import { crc32 } from "node:zlib";

/** CRC-32 of bytes, or of a text's UTF-8 bytes: the checksum of everything that is stored. */
export function checksum(value: Uint8Array | string): number {
  return crc32(value);
}
