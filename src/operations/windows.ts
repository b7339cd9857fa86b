/**
 * The begin of the window of so many seconds that a second lies in. The window that begins at 0
 * stands at 1, as 0 means that no instant is known.
 */
export function windowOf(second: number, seconds: number): number {
  return second === 0 ? 0 : Math.max(1, second - (second % seconds));
}
