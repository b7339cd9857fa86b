const ATTEMPTS = 5;

/** Writes lines to InfluxDB, which gives up writes that take it too long; the same again changes nothing. */
export async function writeLines(url: string, body: string): Promise<void> {
  let complaint = "";
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const answer = await fetch(url, { method: "POST", body });
    if (answer.ok) return;
    complaint = await answer.text();
  }
  throw new Error(`InfluxDB does not take the points: ${complaint}`);
}
