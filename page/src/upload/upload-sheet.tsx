import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { View } from "../address/address.ts";
import { listTests } from "../api/tests.ts";
import { useAnswer } from "../api/use-answer.ts";
import { bytes, count } from "../format/numbers.ts";
import { tagsIn } from "../list/bulk-changes.ts";
import { nameIn } from "../parts/use-submit.ts";
import { ChooseButton } from "./choose-button.tsx";
import {
  type ChosenFiles,
  chooseFiles,
  mayBeResult,
  nameAfter,
  useChosenFiles,
} from "./chosen-files.ts";
import { sendFiles } from "./uploads.ts";

/** Asks for name and tags of what was chosen or dropped, before it is uploaded. */
export function UploadSheet({ view }: { readonly view: View }) {
  const chosen = useChosenFiles();
  if (chosen === undefined) return null;
  return <Sheet chosen={chosen} shownId={view.name === "load-test" ? view.id : undefined} />;
}

interface SheetProps {
  readonly chosen: ChosenFiles;
  /** The run that the view shows. */
  readonly shownId: string | undefined;
}

function Sheet({ chosen, shownId }: SheetProps) {
  const { files, folder } = chosen;
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => dialog.current?.showModal(), []);
  const [into, setInto] = useState(folder === undefined ? "each" : "one");
  const [complaint, setComplaint] = useState("");
  const isMany = files.length > 1;
  const isEach = isMany && into === "each";
  function send(form: HTMLFormElement): void {
    const fields = new FormData(form);
    const ticked = new Set(fields.getAll("file"));
    const sent = files.filter((_, index) => !isMany || ticked.has(`${index}`));
    if (sent.length === 0) {
      setComplaint("! No file is selected");
      return;
    }
    sendFiles(sent, {
      name: nameIn(fields),
      tags: tagsIn(nameIn(fields, "tags")),
      groupUrls: fields.has("group"),
      isOneRun: into === "one",
      ...(into === "shown" && { id: shownId }),
    });
    // Closed, it gives the focus back.
    dialog.current?.close();
  }
  return (
    <dialog ref={dialog} aria-labelledby="upload-sheet" onClose={() => chooseFiles()}>
      <form
        class="row-form upload-sheet"
        onSubmit={(event) => {
          event.preventDefault();
          send(event.currentTarget);
        }}
      >
        <h2 id="upload-sheet">{isMany ? `Upload ${count(files.length)} files` : "Upload"}</h2>
        {into === "shown" ? null : (
          <Attributes fileName={isEach ? "" : (folder ?? files[0]?.name ?? "")} />
        )}
        <Into value={into} isMany={isMany} shownId={shownId} onChange={setInto} />
        <Files files={files} isMany={isMany} />
        <label class="pinned" title="GET /products/123 becomes GET /products/{id}">
          <input type="checkbox" name="group" />
          {"Treat /users/7 as /users/{id}"}
        </label>
        <p class="complaint" role="alert">
          {complaint}
        </p>
        <div class="line">
          <button type="submit" class="filled">
            Upload
          </button>
          <button type="button" class="quiet" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          <ChooseButton name="Add files…" among={files} />
          <ChooseButton name="Add folder…" among={files} isFolder />
        </div>
      </form>
    </dialog>
  );
}

/** Name, as the last runs have it, and tags. Without a file name each run has the name of its file. */
function Attributes({ fileName }: { readonly fileName: string }) {
  const [typed, setTyped] = useState<string | undefined>(undefined);
  const { value } = useAnswer("test names", "all", (signal) => listTests(undefined, signal));
  const names = value?.tests.map(({ name }) => name) ?? [];
  const suggested = nameAfter(fileName, names);
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    // What is typed replaces it, also if it comes late.
    if (document.activeElement === field.current) field.current?.select();
  }, [suggested]);
  return (
    <>
      <label>
        <span>Name</span>
        <input
          name="name"
          list="test-names"
          autofocus
          autocomplete="off"
          maxLength={NAME_LENGTH_MAX}
          placeholder={fileName === "" ? "Name of each file" : fileName}
          ref={field}
          value={typed ?? suggested}
          onFocus={({ currentTarget }) => currentTarget.select()}
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        />
        <datalist id="test-names">
          {names.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      </label>
      <label>
        <span>Tags, separated by commas</span>
        <input name="tags" autocomplete="off" />
      </label>
    </>
  );
}

const NAME_LENGTH_MAX = 200;

interface IntoProps {
  /** `each`, `one` or `shown`. */
  readonly value: string;
  readonly isMany: boolean;
  readonly shownId: string | undefined;
  readonly onChange: (value: string) => void;
}

function Into({ value, isMany, shownId, onChange }: IntoProps) {
  if (!isMany && shownId === undefined) return null;
  return (
    <label>
      <span>Into</span>
      <select value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        <option value="each">{isMany ? "a run for each file" : "a new run"}</option>
        {isMany ? <option value="one">one run, each file a part of it</option> : null}
        {shownId === undefined ? null : (
          <option value="shown">{`run ${shownId}, as a part of it`}</option>
        )}
      </select>
    </label>
  );
}

function Files({ files, isMany }: { readonly files: readonly File[]; readonly isMany: boolean }) {
  return (
    <ul class="plan" aria-label="Files" {...(isMany && { tabIndex: 0 })}>
      {files.map((file, index) => {
        const { digits, unit } = bytes(file.size);
        const text = `${file.webkitRelativePath || file.name}, ${digits} ${unit}`;
        return (
          <li key={`${index} ${text}`}>
            {isMany ? (
              <label class="pinned">
                <input
                  type="checkbox"
                  name="file"
                  value={index}
                  defaultChecked={mayBeResult(file)}
                />
                {text}
              </label>
            ) : (
              text
            )}
          </li>
        );
      })}
    </ul>
  );
}
