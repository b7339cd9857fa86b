/** Lists the notes on the data and folds a long list behind the first. Renders nothing without notes. */
export function Quality({ sentences }: { readonly sentences: readonly string[] }) {
  const [first, ...others] = sentences;
  if (first === undefined) return null;
  if (others.length < FOLDED_MIN) return <List sentences={sentences} />;
  return (
    <details class="quality hint">
      <summary>{`${sentenceOf(first)} And ${others.length} more notes on the data.`}</summary>
      <List sentences={others} />
    </details>
  );
}

/** Fewer others take no more room than the fold. */
const FOLDED_MIN = 2;

function List({ sentences }: { readonly sentences: readonly string[] }) {
  return (
    <ul class="quality hint" aria-label="Data quality">
      {sentences.map((sentence) => (
        <li key={sentence}>{sentenceOf(sentence)}</li>
      ))}
    </ul>
  );
}

function sentenceOf(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
