/** Types of parameters. */
type Plain = string | number | boolean | undefined;

/** Fills path parameters in; the others become the query. */
export function addressOf(path: string, parameters: object): string {
  const query = new URLSearchParams();
  let filled = path;
  for (const [name, value] of Object.entries(parameters as Readonly<Record<string, Plain>>)) {
    if (value === undefined) continue;
    const [place, text] = [`{${name}}`, String(value)];
    if (filled.includes(place)) filled = filled.replace(place, encodeURIComponent(text));
    else query.append(name, text);
  }
  return query.size === 0 ? filled : `${filled}?${query.toString()}`;
}
