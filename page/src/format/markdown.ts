/** Characters that are not text, or change the direction of the text after them. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Untrusted text as code in a Markdown table: none of it is markup. */
export function markdownCode(text: string): string {
  const shown = text.replaceAll(UNSEEN, "\u{fffd}").replaceAll("|", String.raw`\|`);
  const longest = (shown.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
  const fence = "`".repeat(longest + 1);
  // Spaces separate backticks in the text from those of the fence, and keep an empty text visible.
  const isPlain = longest === 0 && shown.trim() === shown && shown !== "";
  return isPlain ? `${fence}${shown}${fence}` : `${fence} ${shown} ${fence}`;
}
