import { useLayoutEffect, useRef } from "preact/hooks";
import { type AccessKey, revokeKey } from "../api/keys.ts";
import { focusFirst } from "../parts/move-focus.ts";
import { createdText, expiresText, lastUsedText } from "./key-times.ts";
import { useAttempt } from "../parts/use-submit.ts";

interface KeyRowProps {
  readonly accessKey: AccessKey;
  /** Whether the table has this column. */
  readonly hasExpiry: boolean;
  /** Whether the confirmation to revoke it is open. */
  readonly isAsked: boolean;
  readonly onAsk: () => void;
  readonly onKeep: () => void;
  readonly onRevoked: () => void;
}

/** A key, with the button that revokes it. */
export function KeyRow(props: KeyRowProps) {
  const { accessKey, isAsked, onAsk } = props;
  const { name, scopes, lastUsedAt, current } = accessKey;
  const actions = useRef<HTMLTableCellElement>(null);
  const wasAsked = useRef(false);
  useLayoutEffect(() => {
    // The focused element was removed, unless another row has taken the focus.
    const isLost = document.activeElement === document.body;
    if (isAsked || (wasAsked.current && isLost)) focusFirst(actions.current);
    wasAsked.current = isAsked;
  }, [isAsked]);
  const now = Date.now();
  return (
    <tr class={isAsked ? "selected" : ""}>
      <th scope="row">
        {name} {current ? <span class="none">this key</span> : null}
      </th>
      <td class="scopes">{scopes.join(", ")}</td>
      <td class="created">{createdText(accessKey, now)}</td>
      <td class={lastUsedAt === null ? "used none" : "used"}>{lastUsedText(accessKey, now)}</td>
      {props.hasExpiry ? <Expiry accessKey={accessKey} nowMs={now} /> : null}
      <td class="revoke" ref={actions}>
        {isAsked ? (
          <Question {...props} />
        ) : (
          <button type="button" class="quiet" aria-label={`Revoke ${name}`} onClick={onAsk}>
            Revoke
          </button>
        )}
      </td>
    </tr>
  );
}

function Expiry({ accessKey, nowMs }: { readonly accessKey: AccessKey; readonly nowMs: number }) {
  const isNever = accessKey.expiresAt === null;
  return <td class={isNever ? "expires none" : "expires"}>{expiresText(accessKey, nowMs)}</td>;
}

/** Asks for confirmation. Escape moves to `Keep`; a second Escape keeps the key. */
function Question({ accessKey, onKeep, onRevoked }: KeyRowProps) {
  const { name, current } = accessKey;
  const { complaint, attempt } = useAttempt();
  const keep = useRef<HTMLButtonElement>(null);
  async function revoke(): Promise<void> {
    const isRevoked = await attempt(async () => {
      await revokeKey(name);
      onRevoked();
    });
    if (isRevoked === false) keep.current?.focus();
  }
  const consequence = current
    ? "This page will need another key."
    : "Its next request will be refused.";
  return (
    <div
      class="question"
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.preventDefault();
        if (event.target === keep.current) onKeep();
        else keep.current?.focus();
      }}
    >
      <span id="consequence" class="rest" role={complaint === "" ? undefined : "alert"}>
        {complaint === "" ? consequence : `! ${complaint}`}
      </span>
      <button type="button" aria-describedby="consequence" onClick={revoke}>
        {`Revoke ${name}`}
      </button>
      <button type="button" class="quiet" ref={keep} onClick={onKeep}>
        Keep
      </button>
    </div>
  );
}
