import { sendFiles } from "./uploads.ts";

/** Lets people choose result files, which are sent at once. */
export function ChooseButton({ name }: { readonly name: string }) {
  return (
    <label class="upload-button">
      {name}
      <input
        type="file"
        class="hidden-text"
        multiple
        onChange={({ currentTarget }) => {
          sendFiles(currentTarget.files ?? []);
          currentTarget.value = "";
        }}
      />
    </label>
  );
}
