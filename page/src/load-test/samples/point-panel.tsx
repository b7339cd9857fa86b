import { changeParameters } from "../../address/use-address.ts";
import { CopyLink } from "../../parts/copy-button.tsx";
import { Off } from "../../parts/off-button.tsx";
import { NearSamples, type NearSamplesProps } from "./asked-samples.tsx";

interface PointPanelProps extends Omit<NearSamplesProps, "limit"> {
  /** Starts a note at a UNIX second; `undefined` if the key may not write. */
  readonly onNote: ((second: number) => void) | undefined;
}

/** The slowest requests of a point of the chart, or those nearest to it. */
export function PointPanel(props: PointPanelProps) {
  const { stretch, formatTime, onNote } = props;
  const times = [stretch.from, stretch.until - 1].map(formatTime);
  return (
    <section class="box" aria-labelledby="point">
      <div class="section-head">
        <h2 id="point">{`Slowest here: ${[...new Set(times)].join(" to ")}, then the nearest`}</h2>
        <span class="switches">
          {onNote === undefined ? null : (
            <button type="button" class="quiet" onClick={() => onNote(stretch.from)}>
              Write a note
            </button>
          )}
          <CopyLink />
          <Off label="Close the point" onClick={() => changeParameters({ at: undefined })} />
        </span>
      </div>
      <NearSamples {...props} limit={5} />
    </section>
  );
}
