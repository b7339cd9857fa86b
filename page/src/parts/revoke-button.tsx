import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useAttempt } from "./use-submit.ts";

interface RevokeButtonProps {
  /** Of the key, link or file. */
  readonly name: string;
  /** Shown while the button asks. */
  readonly consequence?: string | undefined;
  /** @default Revoke */
  readonly verb?: string;
  readonly revoke: () => Promise<void>;
}

/** Revokes at the second click; the first asks, until the focus leaves. */
export function RevokeButton({ name, consequence, verb = "Revoke", revoke }: RevokeButtonProps) {
  const [isAsked, setAsked] = useState(false);
  const { complaint, attempt } = useAttempt();
  const id = useId();
  const warning = isAsked ? consequence : undefined;
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    if (isAsked) button.current?.focus();
  }, [isAsked]);
  return (
    <>
      <button
        ref={button}
        type="button"
        aria-describedby={warning === undefined ? undefined : id}
        class={isAsked ? "" : "quiet"}
        onBlur={() => setAsked(false)}
        onClick={() => (isAsked ? attempt(revoke) : setAsked(true))}
      >
        {verb}
        <span class="hidden-text">{` ${name}`}</span>
        {isAsked ? " for good" : ""}
      </button>
      {warning === undefined ? null : (
        <p class="hint" id={id}>
          {warning}
        </p>
      )}
      {complaint === "" ? null : (
        <p class="complaint" role="alert">
          {`! ${complaint}`}
        </p>
      )}
    </>
  );
}
