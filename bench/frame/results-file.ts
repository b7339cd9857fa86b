/** `document` with the section of this heading replaced, or added at the end; all others stay. */
export function replaceSection(document: string, section: string): string {
  const heading = section.slice(0, section.indexOf("\n"));
  const begin = `\n${document}`.indexOf(`\n${heading}\n`);
  if (begin < 0) return `${document.trimEnd()}\n\n${section}`;
  const next = document.indexOf("\n## ", begin + heading.length);
  const rest = next < 0 ? "" : document.slice(next);
  return `${document.slice(0, begin)}${section}${rest}`;
}
