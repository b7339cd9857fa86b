import { useRef } from "preact/hooks";
import { changeParameters } from "../address/use-address.ts";
import { useKeys } from "../shell/keyboard.ts";

interface FilterFieldProps {
  readonly text: string;
  readonly placeholder?: string;
}

/** `/` puts the cursor here. The text is in the address at once; letter case counts. */
export function FilterField({ text, placeholder = "Filter endpoints" }: FilterFieldProps) {
  const field = useRef<HTMLInputElement>(null);
  useKeys({ "/": () => field.current?.focus() });
  return (
    <span class="field">
      <input
        ref={field}
        type="search"
        aria-label="Filter endpoints"
        placeholder={placeholder}
        value={text}
        onInput={({ currentTarget: { value } }) =>
          changeParameters({ filter: value === "" ? undefined : value }, "replace")
        }
      />
      <kbd aria-hidden="true">/</kbd>
    </span>
  );
}
