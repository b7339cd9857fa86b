/** Marks in the built page of a report, each once, in the place of what is different in each report. */
const [TITLE_MARK, CONTENTS_MARK] = ["__report_title__", "__report_contents__"];

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

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

/** Text as it may stand in HTML or XML, between tags or in an attribute in double quotes. */
export function escapeMarkup(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? "");
}
