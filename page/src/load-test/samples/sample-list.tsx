import { spanText } from "../../../../src/model/samples/sample-titles.ts";
import type { Sample, Samples } from "../../api/samples.ts";
import { count, duration } from "../../format/numbers.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Label } from "../../parts/label.tsx";
import { Quantity } from "../../parts/quantity.tsx";
import { kindName } from "../causes/failure-kinds.ts";
import { factsOf, kindOf, sampleText, textsOf } from "./sample-facts.ts";

interface SampleListProps extends Samples {
  readonly formatTime: (second: number) => string;
  /** Whether their kind of failure is told elsewhere. */
  readonly areOfKind?: boolean;
}

/** Requests as they were sent and answered, each folded. They come from the system under test: they are shown as text only. */
export function SampleList({ samples, sampleCount, ...words }: SampleListProps) {
  const more = sampleCount - samples.length;
  return (
    <div class="samples">
      {samples.map((sample) => (
        <SampleFold key={`${sample.hash} ${sample.id}`} sample={sample} {...words} />
      ))}
      {more > 0 ? <p class="hint">{`and ${count(more)} more`}</p> : null}
    </div>
  );
}

interface SampleFoldProps extends Pick<SampleListProps, "formatTime" | "areOfKind"> {
  readonly sample: Sample;
}

function SampleFold({ sample, formatTime, areOfKind = false }: SampleFoldProps) {
  const { time, elapsedMs, label, failed, cut } = sample;
  return (
    <details>
      <summary>
        <span class="when">
          {time === undefined ? "–" : formatTime(Math.floor(Date.parse(time) / 1000))}
        </span>
        <span class="numeric">
          <Quantity {...duration(elapsedMs / 1000)} />
        </span>
        <span class="what">
          <Label label={label} />
          {failed && !areOfKind ? <b>{` ${kindName(kindOf(sample))}`}</b> : null}
        </span>
      </summary>
      <div class="sample">
        <dl>
          {factsOf(sample).map(([name, known]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{known === sample.traceUrl ? <TraceLink {...sample} /> : known}</dd>
            </div>
          ))}
        </dl>
        <Spans {...sample} />
        {textsOf(sample).map(([title, known]) => (
          <LongText key={title} title={title} text={known} />
        ))}
        {cut === true ? <p class="hint">Texts are longer than what is kept.</p> : null}
        <CopyButton
          name="Copy request"
          title="All that is known of it, as text"
          textOf={() => sampleText(sample)}
        />
      </div>
    </details>
  );
}

/** What the system under test did meanwhile. */
function Spans({ spans = [] }: Pick<Sample, "spans">) {
  return spans.length === 0 ? null : (
    <ol class="spans" aria-label="Longest spans">
      {spans.map((span, at) => (
        <li key={at}>
          <meter value={span.share ?? 0} aria-hidden="true" /> {spanText(span)}
        </li>
      ))}
    </ol>
  );
}

/** By the template of who runs the server. */
function TraceLink({ traceId, traceUrl = "" }: Pick<Sample, "traceId" | "traceUrl">) {
  if (!/^https?:/.test(traceUrl)) return <>{traceId}</>;
  return (
    <a href={traceUrl} target="_blank" rel="noopener noreferrer">
      {traceId}
    </a>
  );
}

/** What is longer is folded. */
const SHORT = { lines: 12, characters: 1000 };

function LongText({ title, text }: { readonly title: string; readonly text: string }) {
  const isShort = text.length <= SHORT.characters && text.split("\n").length <= SHORT.lines;
  return (
    <details open={isShort}>
      <summary>
        {title} <span class="hint">{`${count(text.length)} characters`}</span>
      </summary>
      <CopyButton name="Copy" title={`Copy: ${title}`} textOf={() => text} />
      {/* Focusable, so that the keyboard can scroll it. */}
      <pre tabIndex={0}>{text}</pre>
    </details>
  );
}
