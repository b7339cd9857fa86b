import { escapeMarkup } from "./escape-markup.ts";

/** Marks in the built page of a report, each once, in the place of what is different in each report. */
const [TITLE_MARK, CONTENTS_MARK] = ["__report_title__", "__report_contents__"];

/**
 * The document of a report: `template` is the built page, `contents` its measurements, compressed.
 * Whatever the title and the contents are, they stay text and base64: nothing of them is markup.
 */
export function reportHtml(template: string, title: string, contents: Uint8Array): string {
  const [beforeTitle, afterTitle] = cutAt(template, TITLE_MARK);
  const [beforeContents, afterContents] = cutAt(afterTitle, CONTENTS_MARK);
  return [
    beforeTitle,
    escapeMarkup(title),
    beforeContents,
    Buffer.from(contents.buffer, contents.byteOffset, contents.length).toString("base64"),
    afterContents,
  ].join("");
}

function cutAt(text: string, mark: string): readonly [before: string, after: string] {
  const [before, after, ...more] = text.split(mark);
  if (before !== undefined && after !== undefined && more.length === 0) return [before, after];
  throw new Error(`BUG: the built page of a report has ${mark} not once`);
}
