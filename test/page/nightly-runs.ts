/** A history with known changes: small generated load tests of one name, one per night. */

const REQUESTS = 240;
/** Two requests a second. */
const STEP_MS = 500;
const DAY_MS = 86_400_000;
const FIRST_MS = Date.UTC(2026, 8, 1, 2);

export const NIGHTS = 16;
/** From this one on `GET /cart` takes a fifth longer. */
export const SLOWER_FROM = 10;
export const FACTOR = 1.2;
/** From this load test on every tenth request of `POST /pay` fails; no other request fails. */
export const FAILING_FROM = 13;

/** Some variation between the nights, the same for all endpoints. */
const NOISE = [1, 1.01, 0.99, 1.005, 0.995];

interface Sent {
  readonly url: string;
  readonly key: string;
}

interface Night {
  readonly name: string;
  readonly night: number;
  readonly id: string;
  /** @default "GET /cart" */
  readonly label?: string;
}

/** Stores `night-0` to `night-15`. */
export async function storeHistory(service: Sent, name = "checkout"): Promise<void> {
  for (let night = 0; night < NIGHTS; night++) {
    await storeNight(service, { name, night, id: `night-${night}` });
  }
}

export async function storeNight(
  service: Sent,
  { name, night, id, label = "GET /cart" }: Night,
): Promise<void> {
  await send(service, "/Api/LoadTests", JSON.stringify({ id, name }));
  await send(service, `/Api/LoadTests/${id}/Results?file=${id}.jtl`, jtlOf(night, label));
}

async function send({ url, key }: Sent, path: string, body: string): Promise<void> {
  const type = body.startsWith("{") ? "application/json" : "application/octet-stream";
  const headers = { "X-Service-Auth": key, "Content-Type": type };
  const answer = await fetch(`${url}${path}`, { method: "POST", headers, body });
  if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
}

function jtlOf(night: number, label: string): string {
  const rows = Array.from({ length: REQUESTS }, (_, request) => {
    const atMs = FIRST_MS + night * DAY_MS + request * STEP_MS;
    const isFailed = night >= FAILING_FROM && request % 10 === 0;
    return [
      `${atMs},${cartMs(night, request)},${label},true\n`,
      `${atMs},${payMs(night, request)},POST /pay,${!isFailed}\n`,
    ];
  });
  return `timeStamp,elapsed,label,success\n${rows.flat().join("")}`;
}

/** Between 100 and 199 ms before variation, uniformly. */
function payMs(night: number, request: number): number {
  return Math.round((100 + ((request * 37) % 100)) * (NOISE[night % NOISE.length] ?? 1));
}

function cartMs(night: number, request: number): number {
  return Math.round(payMs(night, request) * (night >= SLOWER_FROM ? FACTOR : 1));
}

/** The p95 of `GET /cart` in milliseconds, by nearest rank from the raw times. */
export function cartP95(night: number): number {
  const times = Array.from({ length: REQUESTS }, (_, request) => cartMs(night, request));
  return times.toSorted((left, right) => left - right)[Math.ceil(0.95 * REQUESTS) - 1] ?? 0;
}
