import { K6_CSV_TAGS } from "./make-k6.ts";
import { seededRandom } from "./seeded-random.ts";

export interface K6UrlOptions {
  readonly requests: number;
  /** Distinct ones: each comes again after all others. */
  readonly urls: number;
}

const FIRST_SECOND = 1_795_232_665;
const SECONDS = 3600;
const ROWS_PER_PIECE = 4096;

/** A CSV file of k6 with `http_req_duration` alone, of URLs with a number and a hash, in pieces. */
export function* k6UrlPieces({ requests, urls }: K6UrlOptions): Generator<string> {
  const random = seededRandom(1);
  let piece = `metric_name,timestamp,metric_value,${K6_CSV_TAGS.join(",")}\n`;
  for (let request = 0; request < requests; request++) {
    const second = FIRST_SECOND + Math.floor((request / requests) * SECONDS);
    const url = urlOf(request % urls);
    const tags = `,,,,true,,GET,${url},HTTP/1.1,default,,200,,,${url},,`;
    piece += `http_req_duration,${second},${(20 + random() * 200).toFixed(6)}${tags}\n`;
    if (request % ROWS_PER_PIECE === ROWS_PER_PIECE - 1) {
      yield piece;
      piece = "";
    }
  }
  yield piece;
}

function urlOf(index: number): string {
  const product = 1_000_000 + ((index * 7919) % 9_000_000);
  const review = hexOf(index * 2_654_435_761) + hexOf(index * 40_503);
  return `https://shop.example.org/products/${product}/reviews/${review}`;
}

function hexOf(number: number): string {
  return (number >>> 0).toString(16).padStart(8, "0");
}
