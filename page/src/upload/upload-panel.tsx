import { Report } from "./report.tsx";
import { type UploadItem, closeUpload, sendAgain, useUploads } from "./uploads.ts";
import { bytes, count, lasted } from "../format/numbers.ts";
import { formatText } from "../format/tool-name.ts";

/** Uploads in progress, and reports until they are closed; empty without any. */
export function UploadPanel() {
  const { items } = useUploads();
  return (
    <section class="uploads" aria-label="Uploads">
      {items.map((item) => (
        <Shown key={`${item.id} ${item.startedAtMs}`} item={item} />
      ))}
      <p class="hidden-text" role="status">
        {items.map(stateText).join(". ")}
      </p>
    </section>
  );
}

function Shown({ item }: { readonly item: UploadItem }) {
  const { id, file, report, problem } = item;
  const close = () => closeUpload(item);
  if (report !== undefined) {
    const isElsewhere = report.alreadyImported && report.loadTestId !== id;
    const onAgain = isElsewhere ? () => sendAgain(item, { again: true }) : undefined;
    return <Report report={report} sizeBytes={file.size} onAgain={onAgain} onClose={close} />;
  }
  if (problem === undefined) return <Progress item={item} />;
  return (
    <div class="upload">
      <p class="upload-name">
        <b>{file.name}</b> <span class="slow">{`▲ ${problem.message}`}</span>
      </p>
      {problem.code === "empty-source" ? (
        <button type="button" onClick={() => sendAgain(item, { allowEmpty: true })}>
          Import it anyway
        </button>
      ) : null}
      <button type="button" class="quiet" onClick={close}>
        Close
      </button>
    </div>
  );
}

/** Read aloud: start and end of an upload. */
function stateText({ file, report, problem }: UploadItem): string {
  if (problem !== undefined) return `${file.name}: ${problem.message}`;
  if (report === undefined) return `${file.name} is being uploaded`;
  const { recorded, read } = report.samples;
  return `${file.name}: ${recorded} of ${read} records recorded`;
}

/** Progress of an upload: share, rate and remaining time. */
function Progress({ item }: { readonly item: UploadItem }) {
  const { file, id, startedAtMs, sentBytes, stop, progress } = item;
  const format = progress?.format ?? undefined;
  return (
    <div class="upload">
      <p class="upload-name">
        <b>{file.name}</b>{" "}
        <span class="rest">
          {format === undefined ? "" : `${formatText(format)}, `}to run <code>{id}</code>
        </span>
      </p>
      <p class="rest">
        {progressText(sentBytes, file.size, Date.now() - startedAtMs)}
        {progress === undefined || progress.recorded === 0
          ? ""
          : ` · ${count(progress.recorded)} recorded`}
      </p>
      <button type="button" class="quiet" onClick={() => void stop()}>
        Stop
      </button>
      <progress max={Math.max(1, file.size)} value={sentBytes} aria-label={file.name} />
    </div>
  );
}

function progressText(sent: number, size: number, elapsedMs: number): string {
  const [gone, all] = [bytes(sent), bytes(size)].map(({ digits, unit }) => `${digits} ${unit}`);
  if (sent >= size) return `${all} sent, being read`;
  const perSecond = (sent * 1000) / Math.max(1, elapsedMs);
  const { digits, unit } = bytes(Math.round(perSecond));
  const left = perSecond === 0 ? [] : [`${lasted(Math.ceil((size - sent) / perSecond))} left`];
  return [`${gone} of ${all}`, `${digits} ${unit}/s`, ...left].join(" · ");
}
