import { useContext, useState } from "preact/hooks";
import { type Answer, ask, askFile } from "../api/client.ts";
import { useAnswer } from "../api/use-answer.ts";
import { bytes } from "../format/numbers.ts";
import { createdText } from "../keys/key-times.ts";
import { Popup } from "../parts/popup.tsx";
import { RevokeButton } from "../parts/revoke-button.tsx";
import { SaveButton } from "../parts/save-button.tsx";
import { saveFile } from "../parts/save-file.ts";
import { useAttempt } from "../parts/use-submit.ts";
import { MayWriteContext } from "../shell/may-write.ts";

type KeptFile = Answer<"listFiles">["files"][number];

/** Saves originals and attachments of a run; a key with write access also attaches and removes them. */
export function FilesButton({ id }: { readonly id: string }) {
  return (
    <Popup button="Files…" buttonClass="quiet" side="right">
      {() => <Files id={id} />}
    </Popup>
  );
}

function Files({ id }: { readonly id: string }) {
  const mayWrite = useContext(MayWriteContext);
  const [version, setVersion] = useState(0);
  const { complaint, isRunning, attempt } = useAttempt();
  const read = (signal: AbortSignal) => ask("listFiles", { id }, { signal });
  const { value, error } = useAnswer("files", id, read, { version });
  async function change(send: () => Promise<unknown>): Promise<void> {
    await send();
    setVersion((last) => last + 1);
  }
  const said = error?.message ?? complaint;
  return (
    <section class="share" aria-label="Files">
      <h2>Files of this run</h2>
      {value?.files.length === 0 ? <p class="rest">None.</p> : null}
      <ul aria-label="Files">
        {value?.files.map((file) => (
          <li key={file.id}>
            <b>
              <bdi>{file.name}</bdi>
            </b>
            <span class="rest">{factsOf(file)}</span>
            <SaveButton
              name="Save"
              title={file.name}
              save={async () =>
                saveFile(await askFile("getFile", { id, file: file.id }), safeName(file))
              }
            />
            {mayWrite ? (
              <RevokeButton
                verb="Remove"
                name={file.name}
                revoke={() => change(() => ask("removeFile", { id, file: file.id }))}
              />
            ) : null}
          </li>
        ))}
      </ul>
      {mayWrite ? (
        <label class="upload-button">
          {isRunning ? "Attaching…" : "Attach a file"}
          <input
            type="file"
            class="hidden-text"
            onChange={({ currentTarget }) => {
              const [body] = currentTarget.files ?? [];
              if (body === undefined) return;
              void attempt(() => change(() => ask("addFile", { id, name: body.name }, { body })));
              currentTarget.value = "";
            }}
          />
        </label>
      ) : null}
      {said === "" ? null : (
        <p class="complaint" role="alert">
          {`! ${said}`}
        </p>
      )}
    </section>
  );
}

function factsOf({ kind, sizeBytes, addedAt, author }: KeptFile): string {
  const { digits, unit } = bytes(sizeBytes);
  const added = createdText({ createdAt: addedAt }, Date.now());
  return [kind, `${digits} ${unit}`, added, ...(author === undefined ? [] : [author])].join(" · ");
}

/** Without what hides or reorders text, and without paths. */
function safeName({ name }: KeptFile): string {
  return name.replaceAll(/[^\p{L}\p{N} .()_-]/gu, "_").replace(/^[ .]+/, "_");
}
