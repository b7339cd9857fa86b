import { text } from "node:stream/consumers";
import { UserError } from "../../model/errors.ts";
import type { CommandContext } from "../command-context.ts";
import { formatBytes } from "./format-quantity.ts";
import { printable, writeReportFile } from "./table.ts";

const TITLE = /<title>[^<]* · Tachograph<\/title>/;

const NO_REPORT =
  "the server sent another page than a report: is there a sign-in page before it? A key in X-Service-Auth must reach Tachograph";

/** Reads an HTML report. Throws `bad-answer` for another page. */
export async function reportIn(answer: Parameters<typeof text>[0]): Promise<string> {
  const html = await text(answer);
  if (!TITLE.test(html)) throw new UserError("bad-answer", NO_REPORT);
  return html;
}

/** Writes the file that a flag names, and says how large it is. Throws what `writeReportFile` throws. */
export async function saveReport(
  flagName: string,
  file: string,
  report: string | Uint8Array,
  context: CommandContext,
): Promise<void> {
  await writeReportFile(flagName, file, report);
  const size = formatBytes(Buffer.byteLength(report));
  context.writeError(`${printable(file)}: a report of ${size}\n`);
}
