import { sendFiles, setGroupUrls, useUploads } from "./uploads.ts";

/** Opens result files and uploads them at once. */
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

/** Whether URLs in files chosen or dropped from now on are grouped. */
export function GroupUrls() {
  const { groupUrls } = useUploads();
  return (
    <label
      class="group-urls"
      title="GET /products/123 becomes GET /products/{id}; also applies to dropped files"
    >
      <input
        type="checkbox"
        checked={groupUrls}
        onChange={({ currentTarget }) => setGroupUrls(currentTarget.checked)}
      />
      {"Treat /users/7 as /users/{id}"}
    </label>
  );
}
