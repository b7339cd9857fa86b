/** The text of a result file, its bytes without compression, and whether a compressed stream ended before its end. */
export function unpack(bytes: Uint8Array): {
  readonly text: string;
  readonly plain: Uint8Array;
  readonly cut: boolean;
};
