/** The text of an answer. Throws, with the begin of it, where the status is none of success. */
export async function textOf(url: string, method: "GET" | "POST" = "GET"): Promise<string> {
  const answer = await fetch(url, { method });
  const text = await answer.text();
  if (answer.ok) return text;
  throw new Error(`${answer.status} of ${url.slice(0, 80)}: ${text.slice(0, 200)}`);
}

/** Whether a server is there and answers well: asked until it is. */
export async function answers(url: string): Promise<boolean> {
  return textOf(url).then(
    () => true,
    () => false,
  );
}
