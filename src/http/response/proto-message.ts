/** A field of a message of Protocol Buffers that is a text, bytes or a message. */
export function field(number: number, bytes: Iterable<number>): number[] {
  const contents = [...bytes];
  return [8 * number + 2, ...varint(contents.length), ...contents];
}

/** `value` up to 2^53 - 1. */
export function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value % 0x80) + 0x80, ...varint(Math.floor(value / 0x80))];
}
