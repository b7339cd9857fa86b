import { useMemo } from "preact/hooks";
import { changeParameters } from "../address/use-address.ts";
import { type Scope, askSummary } from "../api/figures.ts";
import { useAnswer } from "../api/use-answer.ts";
import { facetsText } from "../facets/facet-filter.ts";
import { count } from "../format/numbers.ts";

interface NoMatchProps {
  readonly scope: Scope;
  /** Endpoints that match the filter, as far as known. */
  readonly matches: number;
  /** Endpoints of the load test. */
  readonly allEndpoints: number;
}

/** Above this number, labels are not requested just to find another spelling. */
const SPELLINGS_MAX = 10_000;

/** Replaces the endpoints if there are none: why, and what would match the filter. */
export function NoMatch({ scope, matches, allEndpoints }: NoMatchProps) {
  const { id, filter, hashes, where, by } = scope;
  const all = { id, filter: "", hashes, from: undefined, until: undefined, where, by };
  const isWanted = matches === 0 && filter !== "";
  const isMany = allEndpoints > SPELLINGS_MAX;
  const question = isWanted && !isMany ? JSON.stringify(all) : "";
  const { value } = useAnswer("summary", question, (signal) => askSummary(all, signal));
  const labels = useMemo(
    () => (isMany ? [] : value?.endpoints.map(({ label }) => label)),
    [value, isMany],
  );
  if (matches > 0 || (isWanted && labels === undefined)) return null;
  if (isWanted && !labels?.some((label) => label.includes(filter))) {
    return <Unmatched filter={filter} other={otherCase(filter, labels ?? [])} isMany={isMany} />;
  }
  return <p class="hint">{nothingText(scope)}</p>;
}

function nothingText({ outcome, where }: Scope): string {
  const requests = outcome === undefined ? "There are no requests" : `No requests ${outcome}`;
  const which = where === undefined ? "" : ` with ${facetsText({ where })}`;
  return `${requests} in this range${which}.`;
}

interface UnmatchedProps {
  readonly filter: string;
  /** `undefined` if there is none, or if nobody has looked, as there are too many. */
  readonly other: Spelling | undefined;
  readonly isMany: boolean;
}

function Unmatched({ filter, other, isMany }: UnmatchedProps) {
  return (
    <div class="no-match">
      <p>
        No endpoint contains <code>{filter}</code>
        {other === undefined && !isMany ? "." : ". The filter is case-sensitive."}
      </p>
      {other === undefined ? null : <UseButton spelling={other} />}
      <button type="button" class="quiet" onClick={() => filterBy(undefined)}>
        Clear filter <kbd aria-hidden="true">Esc</kbd>
      </button>
    </div>
  );
}

function UseButton({ spelling: { text, endpoints } }: { readonly spelling: Spelling }) {
  return (
    <button type="button" onClick={() => filterBy(text)}>
      {`Use ${text}, ${count(endpoints)} endpoint${endpoints === 1 ? "" : "s"}`}
    </button>
  );
}

function filterBy(filter: string | undefined): void {
  // The button disappears, so the focus moves to the filter.
  document.querySelector<HTMLElement>(".scope input[type=search]")?.focus();
  changeParameters({ filter });
}

/** A spelling of a filter, and how many endpoints contain it. */
interface Spelling {
  readonly text: string;
  readonly endpoints: number;
}

/**
 * The spelling of a filter without matches that differs only in letter case and matches most labels;
 * `undefined` if there is none.
 */
export function otherCase(filter: string, labels: readonly string[]): Spelling | undefined {
  const pattern = new RegExp(filter.replaceAll(SYNTAX, String.raw`\$&`), "giu");
  const counts = new Map<string, number>();
  for (const label of labels) {
    // A label counts once per spelling.
    for (const text of new Set(label.match(pattern))) counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const spellings = [...counts].map(([text, endpoints]) => ({ text, endpoints }));
  return spellings.toSorted((left, right) => right.endpoints - left.endpoints)[0];
}

const SYNTAX = /[\\^$.*+?()[\]{}|/]/g;
