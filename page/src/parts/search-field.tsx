import { useRef } from "preact/hooks";
import { useKeys } from "../shell/keyboard.ts";

interface SearchFieldProps {
  /** Name for screen readers. */
  readonly name: string;
  readonly placeholder: string;
  readonly text: string;
  /** Called on each keystroke. */
  readonly onType: (text: string) => void;
}

/** `/` focuses this field. */
export function SearchField({ name, placeholder, text, onType }: SearchFieldProps) {
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
        onInput={({ currentTarget: { value } }) => onType(value)}
      />
      <kbd aria-hidden="true">/</kbd>
    </span>
  );
}
