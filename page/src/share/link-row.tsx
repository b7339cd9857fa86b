import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { ApiError } from "../api/client.ts";
import { type Link, revokeLink } from "../api/links.ts";
import { createdText, expiresText, lastUsedText } from "../keys/key-times.ts";

interface LinkRowProps {
  readonly link: Link;
  readonly onRevoked: () => void;
}

/** A link, with the button that revokes it at the second click. */
export function LinkRow({ link, onRevoked }: LinkRowProps) {
  const { name } = link;
  const [isAsked, setAsked] = useState(false);
  const [complaint, setComplaint] = useState("");
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    if (isAsked) button.current?.focus();
  }, [isAsked]);
  async function revoke(): Promise<void> {
    if (!isAsked) {
      setAsked(true);
      return;
    }
    try {
      await revokeLink(name);
      onRevoked();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setComplaint(error.message);
    }
  }
  const now = Date.now();
  const times = [
    `created ${createdText(link, now)}`,
    link.lastUsedAt === null ? "never opened" : `opened ${lastUsedText(link, now)}`,
    ...(link.expiresAt === null ? [] : [`expires ${expiresText(link, now)}`]),
  ];
  return (
    <li>
      <b>{name}</b> <span class="rest">{times.join(" · ")}</span>
      <button
        ref={button}
        type="button"
        class={isAsked ? "" : "quiet"}
        onBlur={() => setAsked(false)}
        onClick={revoke}
      >
        {isAsked ? `Revoke ${name} for good` : "Revoke"}
        {isAsked ? null : <span class="hidden-text">{` ${name}`}</span>}
      </button>
      {complaint === "" ? null : (
        <p class="complaint" role="alert">
          {`! ${complaint}`}
        </p>
      )}
    </li>
  );
}
