/** Replaces `node:crypto`: a browser's own digests are asynchronous only. */

const known = new Map<string, string>();

/** SHA-1 of a text in UTF-8, 40 hex digits (FIPS 180-4). Results are cached. */
export function hash(_algorithm: "sha1", text: string): string {
  const kept = known.get(text);
  if (kept !== undefined) return kept;
  const digest = sha1(new TextEncoder().encode(text));
  known.set(text, digest);
  return digest;
}

const BLOCK_BYTES = 64;
const ROUNDS = 80;

function sha1(message: Uint8Array): string {
  const words = padded(message);
  const state = Int32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0);
  const schedule = new Int32Array(ROUNDS);
  for (let block = 0; block < words.length; block += BLOCK_BYTES / 4) {
    schedule.set(words.subarray(block, block + BLOCK_BYTES / 4));
    for (let at = BLOCK_BYTES / 4; at < ROUNDS; at++) {
      const mixed = word(schedule, at - 3) ^ word(schedule, at - 8) ^ word(schedule, at - 14);
      schedule[at] = rotated(mixed ^ word(schedule, at - 16), 1);
    }
    addBlock(state, schedule);
  }
  return [...state].map((each) => (each >>> 0).toString(16).padStart(8, "0")).join("");
}

function addBlock(state: Int32Array, schedule: Int32Array): void {
  let [a, b, c, d, e] = [0, 1, 2, 3, 4].map((at) => word(state, at)) as FiveWords;
  for (let round = 0; round < ROUNDS; round++) {
    const next = rotated(a, 5) + choice(round, b, c, d) + e + word(schedule, round);
    [a, b, c, d, e] = [(next + constant(round)) | 0, a, rotated(b, 30), c, d];
  }
  for (const [at, each] of [a, b, c, d, e].entries()) state[at] = word(state, at) + each;
}

type FiveWords = [number, number, number, number, number];

function choice(round: number, b: number, c: number, d: number): number {
  if (round < 20) return (b & c) | (~b & d);
  return round < 40 || round >= 60 ? b ^ c ^ d : (b & c) | (b & d) | (c & d);
}

function constant(round: number): number {
  return [0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6][Math.floor(round / 20)] as number;
}

function rotated(value: number, by: number): number {
  return (value << by) | (value >>> (32 - by));
}

function word(words: Int32Array, at: number): number {
  return words[at] as number;
}

/** The message, a 1 bit, zeros and its length in bits, padded to whole blocks, big endian. */
function padded(message: Uint8Array): Int32Array {
  const blocks = Math.floor((message.length + 8) / BLOCK_BYTES) + 1;
  const view = new DataView(new ArrayBuffer(blocks * BLOCK_BYTES));
  for (const [at, byte] of message.entries()) view.setUint8(at, byte);
  view.setUint8(message.length, 0x80);
  view.setUint32(view.byteLength - 4, message.length * 8);
  return Int32Array.from({ length: view.byteLength / 4 }, (_, at) => view.getInt32(4 * at));
}
