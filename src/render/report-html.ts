/** Placeholders in the built page of a report, each used once. */
const [TITLE_MARK, CONTENTS_MARK] = ["__report_title__", "__report_contents__"];

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

/** Puts title and compressed measurements into the built page as text and base64: none of it is markup. */
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

/** Escapes text for HTML and XML, between tags or in an attribute in double quotes. */
export function escapeMarkup(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? "");
}
