interface WordsProps<Choice extends string> {
  /** The choice, for screen readers. */
  readonly label: string;
  readonly choices: readonly (readonly [Choice, text: string])[];
  readonly chosen: Choice;
  readonly onChoose: (choice: Choice) => void;
}

/** Words to choose one from. */
export function Words<Choice extends string>(props: WordsProps<Choice>) {
  return (
    <span class="switch" role="group" aria-label={props.label}>
      {props.choices.map(([choice, text]) => (
        <button
          key={choice}
          type="button"
          class="word"
          aria-pressed={choice === props.chosen}
          onClick={() => props.onChoose(choice)}
        >
          {text}
        </button>
      ))}
    </span>
  );
}
