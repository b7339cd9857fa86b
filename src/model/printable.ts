/**
 * Text of strangers as a terminal or a message may show it: escapes instead of control characters and those that reverse the
 * direction of text, so that a label can neither move the cursor nor pretend to be another line; nor command a CI job.
 */
export function printable(text: string): string {
  return text.replaceAll(CI_COMMAND, String.raw`\x23#`).replaceAll(UNPRINTABLE, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u{${code.toString(16)}}`;
  });
}

/** GitHub, Azure and TeamCity obey these anywhere in a line of a log. */
const CI_COMMAND = /##(?=(?:vso|teamcity)?\[)/gi;

// C0 and C1 controls, and the bidirectional controls of Unicode.
const UNPRINTABLE = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;
