import { ApiError, errorOf, keyHeader, operationUrl } from "./client.ts";

/** What became of an upload: see docs/api.md, "Uploading results". */
export interface ImportReport {
  readonly loadTestId: string;
  readonly format: string;
  readonly source: string;
  readonly samples: { readonly read: number; readonly recorded: number; readonly rejected: number };
  readonly endpoints: number;
  readonly from: number | null;
  readonly until: number | null;
  readonly rejections: readonly Rejection[];
  readonly cut: Rejection | null;
  readonly alreadyImported: boolean;
  readonly notes: readonly string[];
  readonly seconds: number;
}

export interface Rejection {
  readonly line?: number;
  readonly byte?: number;
  readonly reason: string;
}

export interface Upload {
  readonly report: Promise<ImportReport>;
  /** Breaks it off: nothing of it is kept, and the report is refused with the code `stopped`. */
  readonly stop: () => void;
}

/** Sends a file into a load test that is made for it. `fetch` cannot say how much has gone. */
export function upload(file: File, id: string, onSent: (bytes: number) => void): Upload {
  const request = new XMLHttpRequest();
  const report = new Promise<ImportReport>((resolve, reject) => {
    request.upload.addEventListener("progress", ({ loaded }) => onSent(loaded));
    request.addEventListener("error", () =>
      reject(new ApiError(0, "unreachable", "The service does not answer.")),
    );
    request.addEventListener("abort", () => reject(new ApiError(0, "stopped", "Stopped.")));
    request.addEventListener("load", () => {
      const { status, statusText, responseText } = request;
      const answer = parsed(responseText);
      if (status < 300 && answer !== undefined) resolve(answer as ImportReport);
      else reject(errorOf(status, statusText, answer ?? {}));
    });
  });
  const path = `/Api/LoadTests/${encodeURIComponent(id)}/Results`;
  request.open("POST", operationUrl(path, { file: file.name }));
  for (const [name, value] of Object.entries(keyHeader())) request.setRequestHeader(name, value);
  request.setRequestHeader("Content-Type", "application/octet-stream");
  request.send(file);
  return { report, stop: () => request.abort() };
}

/** `undefined` for what is not JSON: what stands before the service answers in its own words. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
