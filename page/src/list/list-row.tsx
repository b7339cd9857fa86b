import { linkTo } from "../address/address.ts";
import { isLive, type LoadTest } from "../api/load-tests.ts";
import type { Digest } from "../api/tests.ts";
import { count, duration, lasted, share, shortCount } from "../format/numbers.ts";
import { dayAndTime } from "../format/times.ts";
import { toolNames } from "../format/tool-name.ts";
import { Quantity } from "../parts/quantity.tsx";
import { RowMenu } from "./row-menu.tsx";
import { ListSpark } from "./list-spark.tsx";
import { useDeletion } from "./deletion.ts";
import { TickBox } from "./tick-box.tsx";
import { ALL } from "./ticks.ts";
import { Verdict, verdictIn } from "./verdict.tsx";

const FAILED_TOO_MUCH = 0.01;

interface ListRowProps {
  readonly loadTest: LoadTest;
  /** Whether it is the latest of several with the same name on this page of the list. */
  readonly beginsHistory: boolean;
  /** Ids of ticked load tests. */
  readonly ticks: readonly string[];
  /** `undefined` until it is known. */
  readonly digest: Digest | undefined;
  /** Called when it was changed or deleted; `undefined`: this key may not do so. */
  readonly onChanged: (() => void) | undefined;
}

/** A load test in the list; a click anywhere opens it. */
export function ListRow({ loadTest, beginsHistory, ticks, digest, onChanged }: ListRowProps) {
  const { id, name, tags, formats, requests, failedRequests } = loadTest;
  const isGrowing = isLive(loadTest, Date.now());
  const isTicked = ticks.includes(ALL) || ticks.includes(id);
  const isLeaving = useDeletion().ids.includes(id);
  return (
    <tr
      class={`${isTicked ? "ticked" : ""} ${isLeaving ? "leaving" : ""}`}
      data-load-test={id}
      onClick={openByRow}
    >
      <td class="tick">
        <TickBox loadTest={loadTest} ticks={ticks} />
      </td>
      <td class="dot">
        {isGrowing ? <span class="live-dot" role="img" aria-label="live" /> : null}
      </td>
      <td class="verdict">
        <Verdict verdict={verdictIn(tags)} />
      </td>
      <td class="name" title={name}>
        <span class="with-history">
          <a href={linkTo({ name: "load-test", id })}>{name}</a>
          {beginsHistory ? (
            <a
              class="history"
              href={linkTo({ name: "trend", series: name }, new Map([["at", id]]))}
              title={`All runs named ${name}, and which of them introduced a change`}
            >
              history
            </a>
          ) : null}
        </span>
      </td>
      <td class="id" title={id}>
        {id}
      </td>
      <td class="tool" title={toolNames(formats)}>
        {toolNames(formats)}
      </td>
      <Started loadTest={loadTest} />
      <td class="numeric lasted">{lastedText(loadTest, isGrowing)}</td>
      <td class="numeric count" title={count(requests)}>
        {shortCount(requests)}
      </td>
      <Failed failed={failedRequests} requests={requests} />
      <td class="numeric p95">
        {digest === undefined ? "" : <Quantity {...duration(digest.p95)} />}
      </td>
      <td class="over-time">
        {digest === undefined ? null : (
          <ListSpark digest={digest} loadTest={loadTest} isLive={isGrowing} />
        )}
      </td>
      <td class="tags" title={tags.join(", ")}>
        {tags.join(", ")}
      </td>
      {onChanged === undefined ? null : (
        <td class="change">
          <RowMenu loadTest={loadTest} onChanged={onChanged} />
        </td>
      )}
    </tr>
  );
}

/** Follows the row's link, unless the click was meant for something else. */
function openByRow(event: MouseEvent & { readonly currentTarget: HTMLElement }): void {
  const { target, currentTarget } = event;
  const isOwn =
    target instanceof Element && target.closest("a, button, input, label, .popup") !== null;
  if (isOwn || getSelection()?.isCollapsed === false) return;
  const { ctrlKey, metaKey, shiftKey } = event;
  // Like the link itself: Ctrl opens a new tab.
  currentTarget
    .querySelector("a")
    ?.dispatchEvent(
      new MouseEvent("click", { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey }),
    );
}

function Started({ loadTest: { from, createdAt } }: { readonly loadTest: LoadTest }) {
  const now = Date.now() / 1000;
  if (from !== null) {
    const text = dayAndTime(from, now, "local");
    return (
      <td class="started" title={text}>
        {text}
      </td>
    );
  }
  return (
    <td class="started none" title="No request has a timestamp: this is when the run was created">
      {dayAndTime(Date.parse(createdAt) / 1000, now, "local")}
    </td>
  );
}

function lastedText({ from, until }: LoadTest, isGrowing: boolean): string {
  if (from === null || until === null) return "–";
  const length = lasted(until - from + 1);
  return isGrowing ? `live, ${length}` : length;
}

function Failed({ failed, requests }: { readonly failed: number; readonly requests: number }) {
  const part = requests === 0 ? 0 : failed / requests;
  const isTooMuch = part > FAILED_TOO_MUCH;
  const kind = isTooMuch ? "failing" : failed === 0 ? "none" : "";
  return (
    <td class={`numeric failed ${kind}`} title={`${count(failed)} failed`}>
      {isTooMuch ? <b>! </b> : null}
      <Quantity {...share(part)} />
    </td>
  );
}
