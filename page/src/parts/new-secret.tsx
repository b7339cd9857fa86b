import { useEffect, useRef, useState } from "preact/hooks";
import { copyText } from "./copy-button.tsx";

const COPIED_MS = 2000;

interface NewSecretProps {
  /** `Key ci`. */
  readonly title: string;
  readonly secret: string;
  readonly onDone: () => void;
}

/** A new key or link, shown until `Done` and never again. */
export function NewSecret({ title, secret, onDone }: NewSecretProps) {
  const field = useRef<HTMLInputElement>(null);
  const [isCopied, setCopied] = useState(false);
  const select = (): void => {
    field.current?.focus();
    field.current?.select();
  };
  useEffect(select, []);
  async function copy(): Promise<void> {
    select();
    await copyText(secret);
    setCopied(true);
    setTimeout(() => setCopied(false), COPIED_MS);
  }
  return (
    <section class="new-key" aria-labelledby="new-key">
      <p id="new-key">
        <b>{title}</b> <span class="rest">It is shown only once. Only its hash is stored.</span>
      </p>
      <button type="button" class="quiet" onClick={onDone}>
        Done
      </button>
      <input ref={field} class="secret" aria-label={title} value={secret} readOnly />
      <button type="button" class="filled" onClick={copy}>
        {isCopied ? "Copied" : "Copy"}
      </button>
      <span class="hidden-text" role="status">
        {isCopied ? "Copied" : ""}
      </span>
    </section>
  );
}
