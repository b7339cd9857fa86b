import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { useAttempt } from "./use-submit.ts";

interface RevokeButtonProps {
  /** Of the key or link. */
  readonly name: string;
  readonly revoke: () => Promise<void>;
}

/** Revokes at the second click; the first asks, until the focus leaves. */
export function RevokeButton({ name, revoke }: RevokeButtonProps) {
  const [isAsked, setAsked] = useState(false);
  const { complaint, attempt } = useAttempt();
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    if (isAsked) button.current?.focus();
  }, [isAsked]);
  return (
    <>
      <button
        ref={button}
        type="button"
        class={isAsked ? "" : "quiet"}
        onBlur={() => setAsked(false)}
        onClick={() => (isAsked ? attempt(revoke) : setAsked(true))}
      >
        Revoke<span class="hidden-text">{` ${name}`}</span>
        {isAsked ? " for good" : ""}
      </button>
      {complaint === "" ? null : (
        <p class="complaint" role="alert">
          {`! ${complaint}`}
        </p>
      )}
    </>
  );
}
