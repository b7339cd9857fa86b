import { refusalOf } from "../../../src/client/tachograph.ts";
import { addressOf, type Answer, ApiError, ask, inPage, keyHeader } from "./client.ts";

/** What became of an upload: see docs/api.md, "Uploading results". */
export type ImportReport = Answer<"uploadResults">;
export type Rejection = ImportReport["rejections"][number];

export interface Upload {
  readonly report: Promise<ImportReport>;
  /**
   * Lets it end where it is; the report is then of what had come until there. Where nothing of it can
   * be kept, it is refused with the code `stopped`.
   */
  readonly stop: () => Promise<void>;
}

/** See docs/api.md, "Uploading results". */
export type UploadProgress = Answer<"listUploads">["uploads"][number];

/** How far the service has come with the file that is sent into a load test; `undefined`: not begun. */
export async function askProgress(id: string): Promise<UploadProgress | undefined> {
  const { uploads } = await ask("listUploads", { id });
  return uploads[0];
}

interface UploadRequest {
  /** Of the load test that is made for the file. */
  readonly id: string;
  /** Whether labels that are URLs are folded (docs/labels.md). */
  readonly groupUrls: boolean;
  readonly onSent: (bytes: number) => void;
}

/** Sends a file into a load test of its own. `fetch` cannot say how much has gone. */
export function upload(file: File, { id, groupUrls, onSent }: UploadRequest): Upload {
  const request = new XMLHttpRequest();
  const { promise, resolve, reject } = Promise.withResolvers<ImportReport>();
  request.upload.addEventListener("progress", ({ loaded }) => onSent(loaded));
  request.addEventListener("error", () =>
    reject(new ApiError(0, "unreachable", "The server does not respond.")),
  );
  request.addEventListener("load", () => {
    const { status, statusText, responseText } = request;
    const answer = status < 300 ? parsed(responseText) : undefined;
    if (answer !== undefined) resolve(answer as ImportReport);
    else
      void refusalOf(new Response(responseText, { status, statusText })).then((refusal) =>
        reject(inPage(refusal)),
      );
  });
  const options = groupUrls ? ({ groupUrls: "true" } as const) : {};
  request.open("POST", addressOf("uploadResults", { id, file: file.name, ...options }));
  for (const [name, value] of Object.entries(keyHeader())) request.setRequestHeader(name, value);
  request.setRequestHeader("Content-Type", "application/octet-stream");
  request.send(file);
  async function stop(): Promise<void> {
    const [report] = await stopUploads(id);
    if (report === undefined) {
      reject(new ApiError(0, "stopped", "Stopped before anything was read: nothing was stored."));
    } else {
      resolve(report);
    }
    request.abort();
  }
  return { report: promise, stop };
}

/** Answers the reports of what is kept; none where the service does not answer. */
async function stopUploads(id: string): Promise<readonly ImportReport[]> {
  try {
    const { reports } = await ask("stopUploads", { id });
    return reports;
  } catch (error) {
    if (error instanceof ApiError) return [];
    throw error;
  }
}

/** `undefined` for what is not JSON: what stands before the service answers in its own words. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
