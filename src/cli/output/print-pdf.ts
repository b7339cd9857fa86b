import { constants } from "node:fs";
import { access, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { platform, tmpdir, userInfo } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { LoadProcess } from "../command-context.ts";
import { badParameter, errorMessage } from "../../model/errors.ts";

/** Chromium and its relatives, by the names of their programs. */
const BROWSERS = [
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
  "chrome",
  "microsoft-edge",
  "msedge",
];

const INSTALLED = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  String.raw`C:\Program Files\Google\Chrome\Application\chrome.exe`,
  String.raw`C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe`,
];

/** Of the page's own clock: enough to unpack and draw the largest report. */
const DRAWING_MS = 20_000;

export interface PdfBrowser {
  /** Its program. @default the first that is installed */
  readonly browser: string | undefined;
  /** Value of `PATH`. */
  readonly searchPath: string | undefined;
  readonly load: Pick<LoadProcess, "runProgram">;
}

/** Prints an HTML report with an installed Chromium and returns the PDF. Throws `bad-parameter` without one, or if it prints nothing. */
export async function printPdf(html: string, asked: PdfBrowser): Promise<Uint8Array> {
  const browser = asked.browser ?? (await installedBrowser(asked.searchPath ?? ""));
  const folder = await mkdtemp(path.join(tmpdir(), "tachograph-pdf-"));
  try {
    const [page, pdf] = [path.join(folder, "report.html"), path.join(folder, "report.pdf")];
    await writeFile(page, html);
    const flags = [
      "--headless",
      "--disable-gpu",
      "--no-pdf-header-footer",
      `--virtual-time-budget=${DRAWING_MS}`,
      `--user-data-dir=${path.join(folder, "profile")}`,
      `--print-to-pdf=${pdf}`,
      // The sandbox of Chromium does not work for root, as in containers.
      ...(userInfo().uid === 0 ? ["--no-sandbox"] : []),
    ];
    await asked.load.runProgram(browser, [...flags, pathToFileURL(page).href]);
    return await readFile(pdf);
  } catch (error) {
    const cause = errorMessage(error).split("\n", 1)[0] ?? "";
    throw badParameter(`--pdf: "${browser}" printed nothing: ${cause}`);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function installedBrowser(searchPath: string): Promise<string> {
  const folders = searchPath.split(path.delimiter).filter((folder) => folder !== "");
  const ending = platform() === "win32" ? ".exe" : "";
  const found = folders.flatMap((folder) =>
    BROWSERS.map((name) => path.join(folder, `${name}${ending}`)),
  );
  for (const file of [...found, ...INSTALLED]) {
    const isThere = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return file;
  }
  throw badParameter(
    "--pdf: no Chromium, Chrome or Edge is installed: name its program with --browser, or write HTML and print it from a browser",
  );
}
