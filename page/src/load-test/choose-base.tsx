import { useRef, useState } from "preact/hooks";
import type { Scope } from "../api/figures.ts";
import { listLoadTests, type LoadTest, quotedWord } from "../api/load-tests.ts";
import { useAnswer } from "../api/use-answer.ts";
import { lasted } from "../format/numbers.ts";
import { dayAndTime } from "../format/times.ts";
import { Popup } from "../parts/popup.tsx";
import { type Bases, basesFor, compareLink } from "./bases.ts";

interface ChooseBaseProps {
  readonly loadTest: LoadTest;
  /** The shown part: the comparison begins with the same. */
  readonly scope: Scope;
}

/** Opens the load tests to compare with; `c` does the same. */
export function ChooseBase({ loadTest, scope }: ChooseBaseProps) {
  return (
    <Popup button="Compare…" side="right" shortcut="c">
      {(close) => <Choice loadTest={loadTest} scope={scope} close={close} />}
    </Popup>
  );
}

interface ChoiceProps extends ChooseBaseProps {
  readonly close: () => void;
}

function Choice({ loadTest, scope, close }: ChoiceProps) {
  const [typed, setTyped] = useState("");
  const { value, error } = useAnswer("bases", `${loadTest.id} ${typed}`, (signal) =>
    askBases(loadTest, typed, signal),
  );
  const panel = useRef<HTMLDivElement>(null);
  return (
    <div
      ref={panel}
      class="bases"
      role="dialog"
      aria-label="Compare with"
      onKeyDown={(event) => {
        // In a search field the browser would only clear the text.
        if (event.key === "Escape") close();
        else if (!moveAmong(panel.current, event.key)) return;
        event.preventDefault();
      }}
    >
      <input
        type="search"
        aria-label="Search for a run to compare with"
        placeholder="Compare with: name, id, tag or tool"
        value={typed}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      {error === undefined ? null : <p class="hint">{error.message}</p>}
      {value === undefined ? null : <Found bases={value} loadTest={loadTest} scope={scope} />}
    </div>
  );
}

/** Searches for the typed text; initially lists the same name and the latest others. */
async function askBases(loadTest: LoadTest, typed: string, signal: AbortSignal): Promise<Bases> {
  const requests = typed === "" ? [{ search: quotedWord(loadTest.name) }, {}] : [{ search: typed }];
  const pages = await Promise.all(requests.map((request) => listLoadTests(request, signal)));
  return basesFor(
    loadTest,
    pages.flatMap(({ loadTests }) => loadTests),
  );
}

interface FoundProps extends ChooseBaseProps {
  readonly bases: Bases;
}

function Found({ bases: { sameName, others }, ...shown }: FoundProps) {
  if (sameName.length + others.length === 0) return <p class="hint">No other run matches.</p>;
  return (
    <div class="found">
      <Group name="same name" loadTests={sameName} {...shown} />
      <Group name={sameName.length === 0 ? "runs" : "others"} loadTests={others} {...shown} />
    </div>
  );
}

interface GroupProps extends ChooseBaseProps {
  readonly name: string;
  readonly loadTests: readonly LoadTest[];
}

function Group({ name, loadTests, loadTest, scope }: GroupProps) {
  if (loadTests.length === 0) return null;
  return (
    <>
      <p>{name}</p>
      <ul aria-label={name}>
        {loadTests.map((base) => (
          <li key={base.id}>
            <a href={compareLink(base.id, scope, loadTest.from ?? 0)}>
              <span class="name">{base.name}</span> <span class="id">{base.id}</span>{" "}
              <span class="rest">{startOf(base)}</span>{" "}
              <span class="rest numeric">{lengthOf(base)}</span>
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}

function startOf({ from, createdAt }: LoadTest): string {
  return dayAndTime(from ?? Date.parse(createdAt) / 1000, Date.now() / 1000, "local");
}

/** Without requests: the list counts transactions among them. */
function lengthOf({ from, until }: LoadTest): string {
  return from === null || until === null ? "–" : lasted(until - from + 1);
}

/** Arrow keys move through the list; Enter in the field takes the first. */
function moveAmong(panel: HTMLElement | null, key: string): boolean {
  const stops = [...(panel?.querySelectorAll<HTMLElement>("input, a") ?? [])];
  const place = stops.findIndex((stop) => stop === document.activeElement);
  if (key === "Enter" && place === 0) {
    stops[1]?.click();
    return true;
  }
  const step = key === "ArrowDown" ? 1 : -1;
  if (step === -1 && key !== "ArrowUp") return false;
  stops[place + step]?.focus();
  return true;
}
