/** A kind of file that holds other files or is compressed in a way that is not read here. */
interface ContainerKind {
  readonly name: string;
  /** What the user can do, as a sentence without its full stop. */
  readonly cure: string;
  readonly magic: readonly number[];
  /** Where the magic bytes stand; 0 where not given. */
  readonly at?: number;
}

/** As many bytes as `refusedContainer` looks at. */
export const CONTAINER_HEAD_BYTES = 512;

const EXTRACT = "extract the result file and give that";
const DECOMPRESS = "decompress it and give the result, or compress it with gzip or zstd";

const KINDS: readonly ContainerKind[] = [
  { name: "a zip archive", cure: EXTRACT, magic: [0x50, 0x4b, 0x03, 0x04] },
  { name: "an empty zip archive", cure: EXTRACT, magic: [0x50, 0x4b, 0x05, 0x06] },
  { name: "a part of a zip archive", cure: EXTRACT, magic: [0x50, 0x4b, 0x07, 0x08] },
  { name: "a 7z archive", cure: EXTRACT, magic: [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c] },
  { name: "a rar archive", cure: EXTRACT, magic: [0x52, 0x61, 0x72, 0x21, 0x1a, 0x07] },
  { name: "a tar archive", cure: EXTRACT, magic: [0x75, 0x73, 0x74, 0x61, 0x72], at: 257 },
  { name: "an xz file", cure: DECOMPRESS, magic: [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00] },
  { name: "a bzip2 file", cure: DECOMPRESS, magic: [0x31, 0x41, 0x59, 0x26, 0x53, 0x59], at: 4 },
  { name: "an lz4 file", cure: DECOMPRESS, magic: [0x04, 0x22, 0x4d, 0x18] },
  { name: "a snappy file", cure: DECOMPRESS, magic: [0xff, 0x06, 0x00, 0x00, 0x73, 0x4e] },
  { name: "a file of compress (.Z)", cure: DECOMPRESS, magic: [0x1f, 0x9d] },
];

/** What a source that begins with `head` is and what to do about it, if it is of a kind refused. */
export function refusedContainer(head: Uint8Array): string | undefined {
  const kind = KINDS.find(({ magic, at = 0 }) =>
    magic.every((byte, index) => head[at + index] === byte),
  );
  return kind === undefined ? undefined : `it is ${kind.name}: ${kind.cure}`;
}
