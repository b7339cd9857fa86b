import { chooseFiles } from "./chosen-files.ts";

interface ChooseButtonProps {
  readonly name: string;
  /** Files chosen before. */
  readonly among?: readonly File[];
  readonly isFolder?: boolean;
}

/** Chooses result files, or all files of a folder. */
export function ChooseButton({ name, among = [], isFolder = false }: ChooseButtonProps) {
  return (
    <label class="upload-button">
      {name}
      <input
        type="file"
        class="hidden-text"
        multiple
        ref={(input) => {
          if (input !== null) input.webkitdirectory = isFolder;
        }}
        onChange={({ currentTarget }) => {
          const added = [...(currentTarget.files ?? [])];
          currentTarget.value = "";
          if (added.length > 0) chooseFiles([...among, ...added]);
        }}
      />
    </label>
  );
}
