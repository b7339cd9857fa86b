/** Limits of the figures, as a list; nothing if there are none. */
export function Quality({ sentences }: { readonly sentences: readonly string[] }) {
  if (sentences.length === 0) return null;
  return (
    <ul class="quality hint" aria-label="Data quality">
      {sentences.map((sentence) => (
        <li key={sentence}>{`${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`}</li>
      ))}
    </ul>
  );
}
