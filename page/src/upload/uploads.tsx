import { useEffect, useState } from "preact/hooks";
import { ApiError } from "../api/client.ts";
import { type ImportReport, type Upload, upload } from "../api/upload.ts";
import { Report } from "./report.tsx";
import { Progress } from "./progress.tsx";
import { uploadId } from "./upload-id.ts";

/** An upload under way, and what has come of it. */
interface Item {
  readonly id: string;
  readonly file: File;
  readonly startedAtMs: number;
  readonly sentBytes: number;
  readonly stop: Upload["stop"];
  readonly report?: ImportReport;
  readonly problem?: string;
}

interface UploadsProps {
  /** Something has been added. */
  readonly onImported: () => void;
}

/** Files that are dropped anywhere or chosen, each with its progress and then its report. */
export function Uploads({ onImported }: UploadsProps) {
  const [items, setItems] = useState<readonly Item[]>([]);
  const change = (id: string, changes: Partial<Item>): void =>
    setItems((all) => all.map((item) => (item.id === id ? { ...item, ...changes } : item)));
  const close = (id: string): void => setItems((all) => all.filter((item) => item.id !== id));
  const begin = async (file: File, index: number): Promise<void> => {
    const startedAtMs = Date.now();
    // Two files of one name can be dropped at once.
    const id = uploadId(file.name, startedAtMs + index);
    const { report, stop } = upload(file, id, (sentBytes) => change(id, { sentBytes }));
    setItems((all) => [{ id, file, startedAtMs, sentBytes: 0, stop }, ...all]);
    try {
      change(id, { report: await report });
      onImported();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.code === "stopped") close(id);
      else change(id, { problem: error.message });
    }
  };
  const beginAll = (files: FileList | null): void => {
    for (const [index, file] of [...(files ?? [])].entries()) void begin(file, index);
  };
  const isDragging = useDrop(beginAll);
  return (
    <>
      <label class="upload-button">
        Upload…
        <input
          type="file"
          class="hidden-text"
          multiple
          onChange={({ currentTarget }) => {
            beginAll(currentTarget.files);
            currentTarget.value = "";
          }}
        />
      </label>
      {isDragging ? <div class="drop-frame">Drop to upload</div> : null}
      <div class="uploads" role="status">
        {items.map((item) => (
          <Shown key={item.id} item={item} onClose={() => close(item.id)} />
        ))}
      </div>
    </>
  );
}

function Shown({ item, onClose }: { readonly item: Item; readonly onClose: () => void }) {
  const { file, report, problem, stop } = item;
  if (report !== undefined) {
    return <Report report={report} sizeBytes={file.size} onClose={onClose} />;
  }
  if (problem === undefined) return <Progress {...item} onStop={stop} />;
  return (
    <div class="upload">
      <p class="upload-name">
        <b>{file.name}</b> <span class="slow">{`▲ ${problem}`}</span>
      </p>
      <button type="button" class="quiet" onClick={onClose}>
        Close
      </button>
    </div>
  );
}

/** Takes files that are dropped anywhere; says whether some are held above the page. */
function useDrop(onFiles: (files: FileList | null) => void): boolean {
  const [isDragging, setDragging] = useState(false);
  useEffect(() => {
    const over = (event: DragEvent): void => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      setDragging(true);
    };
    const leave = ({ relatedTarget }: DragEvent): void => {
      if (relatedTarget === null) setDragging(false);
    };
    const drop = (event: DragEvent): void => {
      event.preventDefault();
      setDragging(false);
      onFiles(event.dataTransfer?.files ?? null);
    };
    addEventListener("dragover", over);
    addEventListener("dragleave", leave);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragover", over);
      removeEventListener("dragleave", leave);
      removeEventListener("drop", drop);
    };
  });
  return isDragging;
}
