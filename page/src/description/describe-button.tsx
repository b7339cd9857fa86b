import { useContext } from "preact/hooks";
import { changeLoadTest, type LoadTest } from "../api/load-tests.ts";
import { Popup } from "../parts/popup.tsx";
import { nameIn, useSubmit } from "../parts/use-submit.ts";
import { MayWriteContext } from "../shell/may-write.ts";

interface DescribeButtonProps {
  readonly loadTest: Pick<LoadTest, "id" | "description" | "properties" | "links">;
  readonly onChanged: () => void;
}

/** Edits what people write about a run; needs a key with write access. */
export function DescribeButton(props: DescribeButtonProps) {
  if (!useContext(MayWriteContext)) return null;
  return (
    <Popup button="Describe…" side="right">
      {(close) => <DescribeForm {...props} onDone={close} />}
    </Popup>
  );
}

function DescribeForm({
  loadTest: { id, description, properties, links },
  onChanged,
  onDone,
}: DescribeButtonProps & { readonly onDone: () => void }) {
  const { complaint, onSubmit } = useSubmit(async (fields) => {
    const [text, pairs, addresses] = ["description", "properties", "links"].map((name) =>
      // Fields have CR LF as line breaks.
      nameIn(fields, name).replaceAll("\r\n", "\n"),
    );
    // What was not typed here may have been changed by others.
    await changeLoadTest(id, {
      ...(text === (description ?? "") ? {} : { description: text }),
      ...(pairs === linesOf(properties) ? {} : { properties: textsIn(pairs) }),
      ...(addresses === linesOf(links) ? {} : { links: textsIn(addresses) }),
    });
    onDone();
    onChanged();
  });
  const field = { spellcheck: false, autocomplete: "off" } as const;
  return (
    <form class="row-form describe" onSubmit={onSubmit}>
      <label>
        <span>Description, in Markdown</span>
        <textarea name="description" rows={6} defaultValue={description ?? ""} />
      </label>
      <label>
        <span>Properties, a line each: key=value</span>
        <textarea name="properties" rows={3} {...field} defaultValue={linesOf(properties)} />
      </label>
      <label>
        <span>Links, a line each: title=https://…</span>
        <textarea name="links" rows={2} {...field} defaultValue={linesOf(links)} />
      </label>
      <p class="complaint" role="alert">
        {complaint === "" ? "" : `! ${complaint}`}
      </p>
      <button type="submit" class="filled">
        Save
      </button>
    </form>
  );
}

type Texts = Readonly<Record<string, string>>;

function linesOf(texts: Texts): string {
  return Object.entries(texts)
    .map((pair) => pair.join("="))
    .join("\n");
}

/** A title may have an equals sign. What is no pair is left to the service, which says so. */
export function textsIn(lines = ""): Texts {
  const pairs = lines.split("\n").map((line) => line.trim());
  return Object.fromEntries(
    pairs.flatMap((line) => {
      const [, key = line, value = ""] =
        /^(.+?)\s*=\s*(https?:.*)$/.exec(line) ?? /^([^=]+?)\s*=\s*(.*)$/.exec(line) ?? [];
      return line === "" ? [] : [[key, value] as const];
    }),
  );
}
