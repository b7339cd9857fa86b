import { useState } from "preact/hooks";

const COPIED_MS = 2000;

interface CopyButtonProps {
  readonly name: string;
  readonly title: string;
  readonly textOf: () => string;
}

/** Copies a text and confirms it for a moment. */
export function CopyButton({ name, title, textOf }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false);
  async function copy(): Promise<void> {
    await copyText(textOf());
    setCopied(true);
    setTimeout(() => setCopied(false), COPIED_MS);
  }
  return (
    <button type="button" class="quiet copy" title={title} onClick={copy}>
      {/* Both texts are present, so that the width stays. */}
      <span class={isCopied ? "away" : ""}>{name}</span>
      <span class={isCopied ? "" : "away"}>Copied</span>
    </button>
  );
}

/** Copies the address of the view. */
export function CopyLink() {
  return (
    <CopyButton name="Copy link" title="The address of this view" textOf={() => location.href} />
  );
}

/** The command that requests a URL's data; readers insert their own key. */
export function CopyCurl({ url }: { readonly url: string }) {
  const command = `curl -H 'X-Service-Auth: KEY' '${location.origin}${url.replaceAll("'", "%27")}'`;
  return <CopyButton name="Copy as curl" title={command} textOf={() => command} />;
}

/** Copies a text. Pages without HTTPS have no clipboard API; they use a selection. */
export async function copyText(text: string): Promise<void> {
  if (isSecureContext) return await navigator.clipboard.writeText(text);
  const field = document.createElement("textarea");
  const focused = document.activeElement;
  field.value = text;
  field.className = "hidden-text";
  document.body.append(field);
  field.select();
  document.execCommand("copy");
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
}
