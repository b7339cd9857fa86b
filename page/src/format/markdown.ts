/** Characters that are no text, or turn the order of what stands after them. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Text of strangers as code within a table of Markdown: nothing of it is markup. */
export function markdownCode(text: string): string {
  const shown = text.replaceAll(UNSEEN, "\u{fffd}").replaceAll("|", String.raw`\|`);
  const longest = (shown.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
  const fence = "`".repeat(longest + 1);
  // Blanks keep the backticks of the text from those of the fence, and an empty text from vanishing.
  const isPlain = longest === 0 && shown.trim() === shown && shown !== "";
  return isPlain ? `${fence}${shown}${fence}` : `${fence} ${shown} ${fence}`;
}
