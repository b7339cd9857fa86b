import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";

/** Metadata of a spooled batch, readable without unpacking it. */
export interface EntryAbout {
  readonly loadTestId: string;
  readonly sourceId: string;
  readonly sequence: number;
  readonly follows: number | "nothing";
}

export interface Entry extends EntryAbout {
  /** The batch as sent. */
  readonly packed: Uint8Array<ArrayBuffer>;
}

const DIGITS = 16;

/** File name of an entry: sorted by source, then by order of sending. */
export function entryName({ loadTestId, sourceId, sequence }: EntryAbout): string {
  const chain = createHash("sha256").update(`${loadTestId}\n${sourceId}`).digest("hex");
  return `${chain.slice(0, 32)}-${String(sequence).padStart(DIGITS, "0")}`;
}

/** A line with the CRC-32 of the rest, a line of JSON, and the batch as sent. */
export function writeEntry({ packed, ...about }: Entry): Uint8Array {
  const rest = Buffer.concat([Buffer.from(`${JSON.stringify(about)}\n`), packed]);
  return Buffer.concat([Buffer.from(`${crc32(rest).toString(16).padStart(8, "0")}\n`), rest]);
}

/** `undefined` if the checksum does not match. */
export function readEntry(content: Uint8Array<ArrayBuffer>): Entry | undefined {
  const rest = content.subarray(9);
  const checksum = new TextDecoder().decode(content.subarray(0, 9));
  if (checksum !== `${crc32(rest).toString(16).padStart(8, "0")}\n`) return undefined;
  const end = rest.indexOf(0x0a);
  const about = JSON.parse(new TextDecoder().decode(rest.subarray(0, end))) as EntryAbout;
  return { ...about, packed: rest.slice(end + 1) };
}
