/** Puts the focus on the first control within an element. */
export function focusFirst(holder: Element | null): void {
  holder?.querySelector<HTMLElement>("button, input, a")?.focus();
}
