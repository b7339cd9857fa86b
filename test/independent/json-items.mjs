/**
 * The items of the first array under `key`, as texts of JSON, as far as the document goes: for
 * documents that may break off. `isWhole` says whether the document itself ends.
 */
export function itemsUnder(key, text) {
  const start = new RegExp(`"${key}"\\s*:\\s*\\[`).exec(text);
  const items = [];
  if (start === null) return { items, isWhole: isJson(text) };
  let at = start.index + start[0].length;
  for (;;) {
    at = skip(/[\s,]*/y, text, at);
    const end = endOfValue(text, at);
    if (end === undefined) break;
    items.push(text.slice(at, end));
    at = end;
  }
  return { items, isWhole: isJson(text) };
}

/** Where the object at `at` ends; undefined where there is none, or it does not end. */
function endOfValue(text, at) {
  if (text[at] !== "{") return undefined;
  const token = /"(?:[^"\\]|\\[^])*"|[{}]/g;
  token.lastIndex = at;
  let depth = 0;
  for (let found = token.exec(text); found; found = token.exec(text)) {
    if (found[0] === "{") depth += 1;
    if (found[0] === "}") depth -= 1;
    if (depth === 0) return found.index + 1;
  }
  return undefined;
}

function skip(pattern, text, at) {
  pattern.lastIndex = at;
  return at + (pattern.exec(text)?.[0].length ?? 0);
}

function isJson(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
