import { useState } from "preact/hooks";
import { copyText } from "./copy-text.ts";

const COPIED_MS = 2000;

interface CopyButtonProps {
  readonly name: string;
  /** Shown while the pointer rests on it. */
  readonly title: string;
  /** What is copied. */
  readonly textOf: () => string;
}

/** Copies a text, and says so for a while. */
export function CopyButton({ name, title, textOf }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false);
  async function copy(): Promise<void> {
    await copyText(textOf());
    setCopied(true);
    setTimeout(() => setCopied(false), COPIED_MS);
  }
  return (
    <button type="button" class="quiet copy" title={title} onClick={copy}>
      {/* Both are there, so that the width stays. */}
      <span class={isCopied ? "away" : ""}>{name}</span>
      <span class={isCopied ? "" : "away"}>Copied</span>
    </button>
  );
}

/** The command that asks for the data at an address; the key is for the reader to put in. */
export function CopyCurl({ url }: { readonly url: string }) {
  const command = `curl -H 'X-Service-Auth: KEY' '${location.origin}${url.replaceAll("'", "%27")}'`;
  return <CopyButton name="Copy as curl" title={command} textOf={() => command} />;
}
