import { constants, gunzipSync, zstdDecompressSync } from "node:zlib";

/** The text of a result file, its bytes without compression, and whether a compressed stream ended before its end. */
export function unpack(bytes) {
  let cut = false;
  let plain = bytes;
  if (startsWith(bytes, [0x1f, 0x8b])) {
    ({ plain, cut } = strictElseFlushed(gunzipSync, bytes, {
      finishFlush: constants.Z_SYNC_FLUSH,
    }));
  } else if (startsWith(bytes, [0x28, 0xb5, 0x2f, 0xfd])) {
    ({ plain, cut } = strictElseFlushed(zstdDecompressSync, bytes, {
      finishFlush: constants.ZSTD_e_continue,
    }));
  }
  return { text: textOf(plain), plain, cut };
}

function strictElseFlushed(decompress, bytes, flushed) {
  try {
    return { plain: decompress(bytes), cut: false };
  } catch {
    return { plain: decompress(bytes, flushed), cut: true };
  }
}

/** TextDecoder takes the byte order mark away and turns what is not UTF-8 into U+FFFD. */
function textOf(plain) {
  if (startsWith(plain, [0xff, 0xfe])) return new TextDecoder("utf-16le").decode(plain);
  if (startsWith(plain, [0xfe, 0xff])) return new TextDecoder("utf-16be").decode(plain);
  return new TextDecoder("utf-8").decode(plain);
}

function startsWith(bytes, signature) {
  return signature.every((byte, index) => bytes[index] === byte);
}
