import { bytes, count, lasted } from "../format/numbers.ts";
import { formatText } from "../format/tool-name.ts";
import type { UploadItem } from "./uploads.ts";

/** Progress of an upload: share, rate and remaining time. */
export function Progress({ item }: { readonly item: UploadItem }) {
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
