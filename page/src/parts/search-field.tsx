import { useId, useRef } from "preact/hooks";
import { useKeys } from "../shell/keyboard.ts";

/** What the arrow keys move among in the tables of the views. */
const FIRST_ROW = "main tbody :is(tr[tabindex='0'], .name a, .row-name)";

export interface SearchFieldProps {
  /** Name for screen readers. */
  readonly name: string;
  readonly placeholder: string;
  readonly text: string;
  /** What the text may become. */
  readonly choices?: readonly string[];
  /** Called on each keystroke. */
  readonly onType: (text: string) => void;
}

/** `/` focuses this field; the down key leads from it to the first row. */
export function SearchField({ name, placeholder, text, choices, onType }: SearchFieldProps) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  useKeys({ "/": () => field.current?.focus() });
  return (
    <span class="field">
      <input
        ref={field}
        type="search"
        aria-label={name}
        placeholder={placeholder}
        value={text}
        list={choices === undefined ? undefined : id}
        autocomplete="off"
        onKeyDown={(event) => {
          if (event.key !== "ArrowDown") return;
          event.preventDefault();
          document.querySelector<HTMLElement>(FIRST_ROW)?.focus();
        }}
        onInput={({ currentTarget: { value } }) => onType(value)}
      />
      {choices === undefined ? null : (
        <datalist id={id}>
          {choices.map((choice) => (
            <option key={choice} value={choice} />
          ))}
        </datalist>
      )}
      <kbd aria-hidden="true">/</kbd>
    </span>
  );
}
