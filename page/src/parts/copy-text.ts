/** Copies a text. Pages without HTTPS have no clipboard API; they use a selection. */
export async function copyText(text: string): Promise<void> {
  if (isSecureContext) return await navigator.clipboard.writeText(text);
  const field = document.createElement("textarea");
  const focused = document.activeElement;
  field.value = text;
  field.className = "hidden-text";
  document.body.append(field);
  field.select();
  document.execCommand("copy");
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
}
