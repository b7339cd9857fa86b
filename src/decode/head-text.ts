/** Whether a source begins with this text, line ends and blanks in front of it aside. */
export function beginsWith(head: Uint8Array, text: string): boolean {
  return headText(head).startsWith(text);
}

/** The beginning of a source as text, without the blanks in front. */
export function headText(head: Uint8Array): string {
  return new TextDecoder().decode(head).trimStart();
}
