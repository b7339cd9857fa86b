import { refusalOf } from "../../../src/client/tachograph.ts";
import { addressOf, type Answer, ApiError, ask, inPage, keyHeader } from "./client.ts";

/** Outcome of an upload: see docs/api.md, "Uploading results". */
export type ImportReport = Answer<"uploadResults">;
export type Rejection = ImportReport["rejections"][number];

export interface Upload {
  readonly report: Promise<ImportReport>;
  /**
   * Stops the upload; the report covers what had arrived. If nothing can be kept, the service refuses with
   * the code `stopped`.
   */
  readonly stop: () => Promise<void>;
}

/** See docs/api.md, "Uploading results". */
export type UploadProgress = Answer<"listUploads">["uploads"][number];

/** Progress of the service with the file for a load test; `undefined` if it has not started. */
export async function askProgress(id: string): Promise<UploadProgress | undefined> {
  const { uploads } = await ask("listUploads", { id });
  return uploads[0];
}

interface UploadRequest {
  /** Of the load test that the file becomes, or becomes a part of. */
  readonly id: string;
  /** Of the load test if it is created; empty: the file's. */
  readonly name: string;
  /** Of the load test if it is created. */
  readonly tags: readonly string[];
  /** Whether labels that are URLs are grouped (docs/labels.md). */
  readonly groupUrls: boolean;
  /** Whether a file without rows is imported. */
  readonly allowEmpty: boolean;
  /** Whether content that another load test has is imported again. */
  readonly again: boolean;
  readonly onSent: (bytes: number) => void;
}

/** Uploads a file into a load test. `fetch` reports no upload progress. */
export function upload(file: File, { id, onSent, ...asked }: UploadRequest): Upload {
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
  const options = {
    ...(asked.name !== "" && { name: asked.name }),
    ...(asked.tags.length > 0 && { tags: asked.tags.join(",") }),
    ...(asked.groupUrls && ({ groupUrls: "true" } as const)),
    ...(asked.allowEmpty && ({ allowEmpty: "true" } as const)),
    ...(!asked.again && ({ onlyNew: "true" } as const)),
  };
  request.open("POST", addressOf("uploadResults", { id, file: file.name, ...options }));
  for (const [name, value] of Object.entries(keyHeader())) request.setRequestHeader(name, value);
  request.setRequestHeader("Content-Type", "application/octet-stream");
  request.send(file);
  async function stop(): Promise<void> {
    const reports = await stopUploads(id);
    // It goes on, and can be stopped again.
    if (reports === undefined) return;
    const [report] = reports;
    if (report === undefined) {
      reject(new ApiError(0, "stopped", "Stopped before anything was read: nothing was stored."));
    } else {
      resolve(report);
    }
    request.abort();
  }
  return { report: promise, stop };
}

/** Stops uploads and returns the reports of what is stored; `undefined` if the service refuses, or does not answer. */
async function stopUploads(id: string): Promise<readonly ImportReport[] | undefined> {
  try {
    const { reports } = await ask("stopUploads", { id });
    return reports;
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

/** `undefined` if it is not JSON: a proxy answers in its own words. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
