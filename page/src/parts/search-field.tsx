import { useRef } from "preact/hooks";
import { useKeys } from "../shell/keyboard.ts";

interface SearchFieldProps {
  /** What a screen reader calls it. */
  readonly name: string;
  readonly placeholder: string;
  readonly text: string;
  /** Called with each letter. */
  readonly onType: (text: string) => void;
}

/** `/` puts the cursor here. */
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
