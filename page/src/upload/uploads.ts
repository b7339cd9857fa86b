/** Files on their way to the service, and reports that are not closed yet: they outlive views. */

import { useEffect, useState } from "preact/hooks";
import { ApiError } from "../api/client.ts";
import {
  askProgress,
  type ImportReport,
  type Upload,
  upload,
  type UploadProgress,
} from "../api/upload.ts";
import { uploadId } from "./upload-id.ts";

/** A file under way, or what has come of it. */
export interface UploadItem {
  /** Of the load test that is made for it. */
  readonly id: string;
  readonly file: File;
  readonly startedAtMs: number;
  readonly sentBytes: number;
  readonly stop: Upload["stop"];
  /** How far the service has come with it, once that is known. */
  readonly progress?: UploadProgress;
  readonly report?: ImportReport;
  /** Why there will be no report. */
  readonly problem?: string;
}

interface Uploads {
  /** The latest first. */
  readonly items: readonly UploadItem[];
  /** How many have ended well, those that were closed included. */
  readonly importedCount: number;
  /** Whether labels that are URLs are folded of what is sent from now on. */
  readonly groupUrls: boolean;
}

let uploads: Uploads = { items: [], importedCount: 0, groupUrls: false };
const listeners = new Set<() => void>();

/** All of them as they are now; the component is drawn again when one changes. */
export function useUploads(): Uploads {
  const [shown, show] = useState(uploads);
  useEffect(() => {
    const update = (): void => show(uploads);
    listeners.add(update);
    // One may have changed before this was listening.
    update();
    return () => void listeners.delete(update);
  }, []);
  return shown;
}

/** Sends files, each into a load test of its own. */
export function sendFiles(files: Iterable<File>): void {
  for (const [index, file] of [...files].entries()) void send(file, Date.now() + index);
}

/** Whether labels that are URLs are folded of the files that are sent from now on. */
export function setGroupUrls(groupUrls: boolean): void {
  set({ groupUrls });
}

/** Takes a report, or a problem, away. */
export function closeUpload(id: string): void {
  set({ items: uploads.items.filter((item) => item.id !== id) });
}

/** Two files of one name can be dropped at once: their instants differ. */
async function send(file: File, startedAtMs: number): Promise<void> {
  const id = uploadId(file.name, startedAtMs);
  const { groupUrls } = uploads;
  const onSent = (sentBytes: number): void => change(id, { sentBytes });
  const { report, stop } = upload(file, { id, groupUrls, onSent });
  set({ items: [{ id, file, startedAtMs, sentBytes: 0, stop }, ...uploads.items] });
  const timer = setInterval(() => void noteProgress(id), PROGRESS_EVERY_MS);
  try {
    change(id, { report: await report });
    set({ importedCount: uploads.importedCount + 1 });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    change(id, { problem: error.message });
  } finally {
    clearInterval(timer);
  }
}

const PROGRESS_EVERY_MS = 1000;

/** An upload goes on, whether or not something can be told of it. */
async function noteProgress(id: string): Promise<void> {
  try {
    const progress = await askProgress(id);
    if (progress !== undefined) change(id, { progress });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
}

function change(id: string, changes: Partial<UploadItem>): void {
  set({ items: uploads.items.map((item) => (item.id === id ? { ...item, ...changes } : item)) });
}

function set(changes: Partial<Uploads>): void {
  uploads = { ...uploads, ...changes };
  for (const listener of listeners) listener();
}
