/** Uploads in progress and open reports, kept across views. */

import { ApiError } from "../api/client.ts";
import { sharedState } from "../api/shared-state.ts";
import {
  type ImportReport,
  type Upload,
  type UploadProgress,
  askProgress,
  upload,
} from "../api/upload.ts";

/** An upload in progress, or its outcome. */
export interface UploadItem {
  /** Of the load test created for it. */
  readonly id: string;
  readonly file: File;
  readonly startedAtMs: number;
  readonly sentBytes: number;
  readonly stop: Upload["stop"];
  /** The service's progress, once known. */
  readonly progress?: UploadProgress;
  readonly report?: ImportReport;
  /** Why there will be no report. */
  readonly problem?: Pick<ApiError, "code" | "message">;
}

interface Uploads {
  /** Latest first. */
  readonly items: readonly UploadItem[];
  /** Successful uploads, including those closed. */
  readonly importedCount: number;
  /** Whether URLs in files uploaded from now on are grouped. */
  readonly groupUrls: boolean;
}

const uploads = sharedState<Uploads>({ items: [], importedCount: 0, groupUrls: false });

/** All uploads; the component rerenders when one changes. */
export const useUploads = uploads.use;

/** Uploads files, each into its own load test. */
export function sendFiles(files: Iterable<File>): void {
  for (const [index, file] of [...files].entries()) void send(file, Date.now() + index);
}

/** Whether URLs in files uploaded from now on are grouped. */
export function setGroupUrls(groupUrls: boolean): void {
  set({ groupUrls });
}

/** Closes a report or an error. */
export function closeUpload(id: string): void {
  set({ items: uploads.get().items.filter((item) => item.id !== id) });
}

/** What a file is uploaded with a second time. */
type Insistence = Partial<Pick<Parameters<typeof upload>[1], "allowEmpty" | "again">>;

/** Uploads a file again that was not imported, as it has no rows, or as another run has its content. */
export function sendAgain({ id, file }: UploadItem, insistence: Insistence): void {
  closeUpload(id);
  void send(file, Date.now(), insistence);
}

/** Two files with one name can be dropped at once: their times differ. */
async function send(file: File, startedAtMs: number, insistence: Insistence = {}): Promise<void> {
  const id = uploadId(file.name, startedAtMs);
  const { groupUrls } = uploads.get();
  const onSent = (sentBytes: number): void => change(id, { sentBytes });
  const usual = { id, groupUrls, allowEmpty: false, again: false, onSent };
  const { report, stop } = upload(file, { ...usual, ...insistence });
  set({ items: [{ id, file, startedAtMs, sentBytes: 0, stop }, ...uploads.get().items] });
  const timer = setInterval(() => void noteProgress(id), PROGRESS_EVERY_MS);
  try {
    change(id, { report: await report });
    set({ importedCount: uploads.get().importedCount + 1 });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    change(id, { problem: error });
  } finally {
    clearInterval(timer);
  }
}

const PROGRESS_EVERY_MS = 1000;

/** An upload goes on even if its progress is unknown. */
async function noteProgress(id: string): Promise<void> {
  try {
    const progress = await askProgress(id);
    if (progress !== undefined) change(id, { progress });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
}

function change(id: string, changes: Partial<UploadItem>): void {
  set({
    items: uploads.get().items.map((item) => (item.id === id ? { ...item, ...changes } : item)),
  });
}

function set(changes: Partial<Uploads>): void {
  uploads.set({ ...uploads.get(), ...changes });
}

const PART_LENGTH_MAX = 80;

/**
 * An id for a file's load test: the valid characters of its name and the time, so that the same name can be
 * uploaded again.
 */
export function uploadId(fileName: string, nowMs: number): string {
  const [stem = ""] = fileName.split(/\.(?:jtl|csv|json|xml|log|gz|zst|txt|bin)\b/i);
  const part = stem
    .replaceAll(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[-.]+/, "")
    .slice(0, PART_LENGTH_MAX);
  return `${part === "" ? "upload" : part}-${nowMs.toString(36)}`;
}
