import { useContext, useLayoutEffect, useRef, useState } from "preact/hooks";
import { saveFile } from "../parts/save-file.ts";
import { CaptionContext } from "./caption.ts";
import { chartPicture } from "./chart-picture.ts";
import type { TimeChartProps } from "./time-chart-props.ts";

const MESSAGE_MS = 2000;

/** Saves or copies a chart as a picture; present if the charts have a caption. */
export function PictureButtons({ chart }: { readonly chart: TimeChartProps }) {
  const caption = useContext(CaptionContext);
  const [message, setMessage] = useState("");
  const place = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    const { current } = place;
    if (caption === undefined || current === null) return undefined;
    caption.charts.set(current, chart);
    return () => void caption.charts.delete(current);
  });
  if (caption === undefined) return null;
  const show = (text: string): void => {
    setMessage(text);
    setTimeout(() => setMessage(""), MESSAGE_MS);
  };
  const save = async (): Promise<void> => {
    const title = chart.title.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
    saveFile(await chartPicture(chart, caption), `${caption.id}-${title.slice(0, 60)}.png`);
  };
  const copy = (): void => {
    // Created at once, so that the browser sees a user gesture.
    const item = new ClipboardItem({ "image/png": chartPicture(chart, caption) });
    navigator.clipboard.write([item]).then(
      () => show("Copied"),
      () => show("Refused"),
    );
  };
  return (
    <span ref={place} class={chart.hasMarkNumbers === true ? "picture within" : "picture"}>
      <button
        type="button"
        class="word"
        aria-label={`Save ${chart.title} as PNG`}
        title="Save this chart as an image"
        onClick={save}
      >
        PNG
      </button>
      {canCopy() ? (
        <button
          type="button"
          class="word"
          aria-label={message === "" ? `Copy picture of ${chart.title}` : message}
          title="Copy this chart as an image"
          onClick={copy}
        >
          {message === "" ? "Copy" : message}
        </button>
      ) : null}
    </span>
  );
}

/** Needs a secure page, and not every browser supports it. */
function canCopy(): boolean {
  return "clipboard" in navigator && "ClipboardItem" in globalThis;
}
