import { useState } from "preact/hooks";
import type { Scope } from "../api/figures.ts";
import { isLive, type LoadTestDetail } from "../api/load-tests.ts";
import { lasted } from "../format/numbers.ts";
import { day, timeOfDay } from "../format/times.ts";
import { zoneClock } from "./clock.ts";
import { CsvButton } from "./csv-button.tsx";
import type { Clock } from "./scope-bar.tsx";

interface LoadTestHeadProps {
  readonly loadTest: LoadTestDetail;
  readonly clock: Clock;
  /** The operation that gives what is shown. */
  readonly metricsUrl: string;
  readonly scope: Scope;
  readonly resolution: number;
}

/** What load test it is, and what can be taken away from it. */
export function LoadTestHead({ loadTest, clock, metricsUrl, ...shown }: LoadTestHeadProps) {
  const { id, name, tags, sources, from, until } = loadTest;
  const zone = zoneClock(clock);
  const formats = [...new Set(sources.map(({ format }) => format))];
  const facts = [
    ...formats,
    ...(from === undefined || until === undefined
      ? []
      : [
          `${day(from, zone)}, ${timeOfDay(from, zone)} to ${timeOfDay(until, zone)}`,
          lasted(until - from + 1),
        ]),
    ...(tags.length === 0 ? [] : [tags.join(", ")]),
  ];
  return (
    <div class="load-test-head">
      <div>
        <h1>
          {isLive(loadTest, Date.now()) ? (
            <span class="live-dot" role="img" aria-label="live" />
          ) : null}
          {name} <span class="id">{id}</span>
        </h1>
        <p class="hint">{facts.join(" · ")}</p>
      </div>
      <div class="actions">
        <CsvButton {...shown} />
        <CopyCurl url={metricsUrl} />
      </div>
    </div>
  );
}

const COPIED_MS = 2000;

/** The command that asks for the same data; the key is for the reader to put in. */
function CopyCurl({ url }: { readonly url: string }) {
  const [isCopied, setCopied] = useState(false);
  const command = `curl -H 'X-Service-Auth: KEY' '${location.origin}${url.replaceAll("'", "%27")}'`;
  async function copy(): Promise<void> {
    await navigator.clipboard.writeText(command);
    setCopied(true);
    setTimeout(() => setCopied(false), COPIED_MS);
  }
  return (
    <button type="button" class="quiet copy" title={command} onClick={copy}>
      {isCopied ? "Copied" : "Copy as curl"}
    </button>
  );
}
