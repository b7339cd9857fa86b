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
  /** Of the load test that it becomes, or becomes a part of. */
  readonly id: string;
  readonly file: File;
  readonly how: UploadWay;
  readonly startedAtMs: number;
  readonly sentBytes: number;
  readonly stop: Upload["stop"];
  /** The service's progress, once known. */
  readonly progress?: UploadProgress;
  readonly report?: ImportReport;
  /** Why there will be no report. */
  readonly problem?: Pick<ApiError, "code" | "message">;
}

/** What files of one choice have in common. */
interface UploadWay {
  /** Of new load tests; empty: the file's. */
  readonly name: string;
  /** Of new load tests. */
  readonly tags: readonly string[];
  /** Whether URLs are grouped. */
  readonly groupUrls: boolean;
}

interface Uploads {
  /** Latest first. */
  readonly items: readonly UploadItem[];
  /** Successful uploads, including those closed. */
  readonly importedCount: number;
}

const uploads = sharedState<Uploads>({ items: [], importedCount: 0 });

/** All uploads; the component rerenders when one changes. */
export const useUploads = uploads.use;

interface SentFiles extends UploadWay {
  /** Whether they are parts of one new load test, not one each. */
  readonly isOneRun: boolean;
  /** The load test that gets them all. */
  readonly id?: string | undefined;
}

/** How many files are sent at once: the service imports no more. */
const LANES = 2;

/** Uploads files: parts of one load test one after the other. */
export function sendFiles(files: readonly File[], { isOneRun, id, ...how }: SentFiles): void {
  const sharedId = id ?? (isOneRun ? uploadId(how.name, Date.now()) : undefined);
  const waiting = files.entries();
  const lane = async (): Promise<void> => {
    for (const [index, file] of waiting) {
      // Two files with one name can be dropped at once: their times differ.
      await send({ file, how, id: sharedId ?? uploadId(file.name, Date.now() + index) });
    }
  };
  for (let at = 0; at < (sharedId === undefined ? LANES : 1); at += 1) void lane();
}

/** Closes a report or an error. */
export function closeUpload(item: UploadItem): void {
  set({ items: uploads.get().items.filter((each) => !isSame(each, item)) });
}

/** What a file is uploaded with a second time. */
type Insistence = Partial<Pick<Parameters<typeof upload>[1], "allowEmpty" | "again">>;

/** Uploads a file again that was not imported, as it has no rows, or as another run has its content. */
export function sendAgain(item: UploadItem, insistence: Insistence): void {
  closeUpload(item);
  void send(item, insistence);
}

type Sent = Pick<UploadItem, "id" | "file" | "how">;

function isSame(left: Sent, right: Sent): boolean {
  return left.id === right.id && left.file === right.file;
}

async function send({ id, file, how }: Sent, insistence: Insistence = {}): Promise<void> {
  const sent = { id, file, how };
  const onSent = (sentBytes: number): void => change(sent, { sentBytes });
  const usual = { id, ...how, allowEmpty: false, again: false, onSent };
  const { report, stop } = upload(file, { ...usual, ...insistence });
  const item = { ...sent, startedAtMs: Date.now(), sentBytes: 0, stop };
  set({ items: [item, ...uploads.get().items] });
  const timer = setInterval(() => void noteProgress(sent), PROGRESS_EVERY_MS);
  try {
    change(sent, { report: await report });
    set({ importedCount: uploads.get().importedCount + 1 });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    change(sent, { problem: error });
  } finally {
    clearInterval(timer);
  }
}

const PROGRESS_EVERY_MS = 1000;

/** An upload goes on even if its progress is unknown. */
async function noteProgress(sent: Sent): Promise<void> {
  try {
    const progress = await askProgress(sent.id);
    if (progress !== undefined) change(sent, { progress });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
}

function change(sent: Sent, changes: Partial<UploadItem>): void {
  const { items } = uploads.get();
  set({ items: items.map((item) => (isSame(item, sent) ? { ...item, ...changes } : item)) });
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
