import { useRef } from "preact/hooks";
import { changeParameters } from "../address/use-address.ts";
import { useKeys } from "../shell/keyboard.ts";

/** `/` puts the cursor here. The text is in the address at once; letter case counts. */
export function FilterField({ text }: { readonly text: string }) {
  const field = useRef<HTMLInputElement>(null);
  useKeys({ "/": () => field.current?.focus() });
  return (
    <span class="field">
      <input
        ref={field}
        type="search"
        aria-label="Filter endpoints"
        placeholder="Filter endpoints"
        value={text}
        onInput={({ currentTarget: { value } }) =>
          changeParameters({ filter: value === "" ? undefined : value }, "replace")
        }
      />
      <kbd aria-hidden="true">/</kbd>
    </span>
  );
}
