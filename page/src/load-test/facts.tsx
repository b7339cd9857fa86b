import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { LoadTest } from "../api/load-tests.ts";
import { lasted } from "../format/numbers.ts";
import { changesClock, day, timeOfDay, zoneName } from "../format/times.ts";
import { toolNames } from "../format/tool-name.ts";
import { useWidth } from "../parts/use-width.ts";
import { type Clock, isOneDay, zoneClock } from "./clock.ts";

interface DescriptionProps {
  readonly loadTest: Pick<LoadTest, "description" | "properties" | "links">;
}

/** The description, properties and links of a run, as plain text. */
export function Description({ loadTest }: DescriptionProps) {
  const { description, properties, links } = loadTest;
  const pairs = Object.entries(properties).map(([key, value]) => `${key} ${value}`);
  const addresses = Object.entries(links);
  return (
    <>
      {pairs.length === 0 ? null : <p class="facts">{pairs.join(" · ")}</p>}
      {addresses.length === 0 ? null : (
        <p class="facts">
          {addresses.map(([title, url]) => (
            <a key={title} class="underlined" href={url} rel="noopener noreferrer" target="_blank">
              {title}
            </a>
          ))}
        </p>
      )}
      {description === null ? null : <LongText text={description} />}
    </>
  );
}

/** The first lines of the description, to keep the chart in view; a button shows the rest. */
function LongText({ text }: { readonly text: string }) {
  const [isOpen, setOpen] = useState(false);
  const [isCut, setCut] = useState(false);
  const lines = useRef<HTMLParagraphElement>(null);
  const width = useWidth(lines);
  useLayoutEffect(() => {
    if (lines.current === null || isOpen) return;
    setCut(lines.current.scrollHeight > lines.current.clientHeight);
  }, [text, width, isOpen]);
  return (
    <div class="description">
      <p ref={lines} class={isOpen ? "" : "first-lines"}>
        {text}
      </p>
      {isCut ? (
        <button type="button" class="word" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? "Less" : "More"}
        </button>
      ) : null}
    </div>
  );
}

interface FactsProps {
  readonly loadTest: Pick<LoadTest, "tags" | "environment" | "formats" | "from" | "until">;
  readonly clock: Clock;
  readonly isLive: boolean;
}

/** Tool, time, environment and tags in one line. */
export function Facts({ loadTest, clock, isLive }: FactsProps) {
  const { tags, environment, formats } = loadTest;
  const facts = [
    isLive ? "live" : "",
    toolNames(formats),
    ...timeFacts(loadTest, clock, isLive),
    environment === null ? "" : `in ${environment}`,
    tags.join(", "),
  ];
  return (
    <p class="facts">
      {isLive ? <span class="live-dot" aria-hidden="true" /> : null}
      {facts.filter((fact) => fact !== "").join(" · ")}
    </p>
  );
}

function timeFacts(
  { from, until }: FactsProps["loadTest"],
  clock: Clock,
  isLive: boolean,
): string[] {
  if (from === null || until === null) return [];
  const zone = zoneClock(clock);
  const zoneText = zone === "utc" ? "UTC" : zoneName(from);
  const begin = timeOfDay(from, zone);
  const lastDay = isOneDay({ from, until: until + 1 }, zone) ? "" : `${day(until, zone)}, `;
  const length = lasted(until - from + 1).replaceAll(" ", "\u{a0}");
  if (isLive) return [`since ${day(from, zone)}, ${begin} ${zoneText}, ${length}`];
  const end = `${lastDay}${timeOfDay(until, zone)}`;
  if (zone === "local" && changesClock(from, until)) {
    return [`${day(from, zone)}, ${begin} ${zoneText} to ${end} ${zoneName(until)}`, length];
  }
  return [`${day(from, zone)}, ${begin} to ${end} ${zoneText}`, length];
}
