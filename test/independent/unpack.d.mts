/** The text of a result file, and whether a compressed stream ended before its end. */
export function unpack(bytes: Uint8Array): { readonly text: string; readonly cut: boolean };
