const EXPIRIES: readonly (readonly [days: string, text: string])[] = [
  ["", "never"],
  ["7", "in 7 days"],
  ["30", "in 30 days"],
  ["90", "in 90 days"],
  ["365", "in a year"],
];

/** When a key or a link expires; a field of a form. */
export function ExpiryField() {
  return (
    <label class="rest">
      expires
      <select name={NAME}>
        {EXPIRIES.map(([days, text]) => (
          <option key={days} value={days}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

const NAME = "expiresDays";

/** Days; `undefined`: never. */
export function expiryIn(fields: FormData): number | undefined {
  const days = Number(fields.get(NAME));
  return days === 0 ? undefined : days;
}
