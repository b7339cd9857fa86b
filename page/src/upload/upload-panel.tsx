import { Progress } from "./progress.tsx";
import { Report } from "./report.tsx";
import { closeUpload, type UploadItem, useUploads } from "./uploads.ts";

/** Uploads in progress, and reports until they are closed; empty without any. */
export function UploadPanel() {
  const { items } = useUploads();
  return (
    <section class="uploads" aria-label="Uploads">
      {items.map((item) => (
        <Shown key={item.id} item={item} />
      ))}
      <p class="hidden-text" role="status">
        {items.map(stateText).join(". ")}
      </p>
    </section>
  );
}

function Shown({ item }: { readonly item: UploadItem }) {
  const { id, file, report, problem } = item;
  const close = () => closeUpload(id);
  if (report !== undefined) {
    return <Report report={report} sizeBytes={file.size} onClose={close} />;
  }
  if (problem === undefined) return <Progress item={item} />;
  return (
    <div class="upload">
      <p class="upload-name">
        <b>{file.name}</b> <span class="slow">{`▲ ${problem}`}</span>
      </p>
      <button type="button" class="quiet" onClick={close}>
        Close
      </button>
    </div>
  );
}

/** Read aloud: start and end of an upload. */
function stateText({ file, report, problem }: UploadItem): string {
  if (problem !== undefined) return `${file.name}: ${problem}`;
  if (report === undefined) return `${file.name} is being uploaded`;
  const { recorded, read } = report.samples;
  return `${file.name}: ${recorded} of ${read} records recorded`;
}
