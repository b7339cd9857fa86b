/** Saves content as a file on the viewer's machine. */
export function saveFile(contents: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(contents);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** Saves a text as a file on the viewer's machine. */
export function saveText(text: string, name: string): void {
  saveFile(new Blob([text], { type: "text/csv" }), name);
}
