import { changeParameters } from "../address/use-address.ts";
import { SearchField } from "./search-field.tsx";

interface FilterFieldProps {
  readonly text: string;
  readonly placeholder?: string;
}

const NAME = "Filter endpoints";

/** The URL follows every keystroke; case-sensitive. */
export function FilterField({ text, placeholder = NAME }: FilterFieldProps) {
  return <SearchField name={NAME} placeholder={placeholder} text={text} onType={filterBy} />;
}

function filterBy(typed: string): void {
  changeParameters({ filter: typed === "" ? undefined : typed }, "replace");
}
