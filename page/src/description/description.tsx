import { type ComponentChildren, createElement } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { LoadTest } from "../api/load-tests.ts";
import { useWidth } from "../parts/use-width.ts";
import { type MarkdownNode, parseMarkdown } from "./markdown.ts";

interface DescriptionProps {
  readonly loadTest: Pick<LoadTest, "description" | "properties" | "links">;
}

/** What people wrote about a run, as text and known elements only. */
export function Description({ loadTest }: DescriptionProps) {
  const { description, properties, links } = loadTest;
  const pairs = Object.entries(properties);
  const addresses = Object.entries(links);
  return (
    <>
      {pairs.length === 0 ? null : (
        <p class="facts properties">
          {pairs.map(([key, value]) => (
            <bdi key={key}>{`${key} ${value}`}</bdi>
          ))}
        </p>
      )}
      {addresses.length === 0 ? null : (
        <p class="facts">
          {addresses.map(([title, url]) => (
            <Link key={title} url={url}>
              <bdi>{title}</bdi>
            </Link>
          ))}
        </p>
      )}
      {description === null ? null : <LongText text={description} />}
    </>
  );
}

function Link({ url, children }: { readonly url: string; readonly children: ComponentChildren }) {
  return (
    <a class="underlined" href={url} title={url} rel="noopener noreferrer nofollow" target="_blank">
      {children}
    </a>
  );
}

/** The first lines of the description, to keep the chart in view; a button shows the rest. */
function LongText({ text }: { readonly text: string }) {
  const [isOpen, setOpen] = useState(false);
  const [isCut, setCut] = useState(false);
  const lines = useRef<HTMLDivElement>(null);
  const nodes = useMemo(() => parseMarkdown(text), [text]);
  const width = useWidth(lines);
  useLayoutEffect(() => {
    if (lines.current === null || isOpen) return;
    setCut(lines.current.scrollHeight > lines.current.clientHeight);
  }, [text, width, isOpen]);
  return (
    <div class="description">
      <div ref={lines} class={isOpen ? "markdown" : "markdown first-lines"}>
        {nodes.map(shown)}
      </div>
      {isCut ? (
        <button type="button" class="word" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? "Less" : "More"}
        </button>
      ) : null}
    </div>
  );
}

function shown(node: MarkdownNode): ComponentChildren {
  if (typeof node === "string") return node;
  const { tag, href, children } = node;
  if (href !== undefined) return <Link url={href}>{children.map(shown)}</Link>;
  return createElement(tag, { dir: "auto" }, ...children.map(shown));
}
