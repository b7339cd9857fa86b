/**
 * Moves the focus from a table row to the control (a selector) in the next or previous row. Returns `true` if
 * no row has the focus, so that the key keeps its usual meaning.
 */
export function moveFocus(step: 1 | -1, control: string): boolean {
  const row = document.activeElement?.closest("tbody tr");
  const next = step === 1 ? row?.nextElementSibling : row?.previousElementSibling;
  const target = next?.querySelector<HTMLElement>(control);
  if (target === null || target === undefined) return row === null || row === undefined;
  target.focus();
  return false;
}

/** Focuses the first control in an element. */
export function focusFirst(holder: Element | null): void {
  holder?.querySelector<HTMLElement>("button, input, a")?.focus();
}
