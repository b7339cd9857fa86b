import { saveFile } from "./save-file.ts";

/** Saves a text as a file on the viewer's machine. */
export function saveText(text: string, name: string): void {
  saveFile(new Blob([text], { type: "text/csv" }), name);
}
