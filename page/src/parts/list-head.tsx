import { useContext } from "preact/hooks";
import { count } from "../format/numbers.ts";
import { MayWriteContext } from "../shell/may-write.ts";
import { ChooseButton } from "../upload/choose-button.tsx";
import { SearchField, type SearchFieldProps } from "./search-field.tsx";

interface ListHeadProps extends SearchFieldProps {
  readonly title: string;
  /** How many are listed; `undefined` until that is known. */
  readonly listed: number | undefined;
}

/** Title, search and uploads above a list of the whole page. */
export function ListHead({ title, listed, ...search }: ListHeadProps) {
  const mayWrite = useContext(MayWriteContext);
  return (
    <div class="list-head">
      <h1>
        {title} <span class="number">{listed === undefined ? "" : count(listed)}</span>
      </h1>
      <SearchField {...search} />
      {mayWrite ? <ChooseButton name="Upload…" /> : null}
    </div>
  );
}
