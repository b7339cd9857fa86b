/** Focuses the first control in an element. */
export function focusFirst(holder: Element | null): void {
  holder?.querySelector<HTMLElement>("button, input, a")?.focus();
}
