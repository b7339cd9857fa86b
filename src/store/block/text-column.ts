/** Texts: well-formed Unicode as UTF-8, each after the number of its bytes. */

import type { ByteReader } from "./byte-reader.ts";
import type { ByteWriter } from "./byte-writer.ts";

export function writeText(writer: ByteWriter, text: string): void {
  const bytes = Buffer.from(text);
  writer.varint(bytes.length);
  writer.bytes(bytes);
}

export function readText(reader: ByteReader): string {
  return Buffer.from(reader.take(reader.varint())).toString();
}
