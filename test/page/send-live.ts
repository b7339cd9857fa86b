import type { World } from "./browser.ts";

/** Sends one request per second, as k6 does, for the last `seconds` seconds. */
export async function sendLive({ url, key }: World, id: string, seconds: number): Promise<void> {
  const now = Math.floor(Date.now() / 1000);
  const lines = Array.from({ length: seconds }, (_, index) => {
    const tags = "name=GET\\ /,method=GET,status=200,expected_response=true";
    return `http_req_duration,${tags} value=12.5 ${now - index}000000000\n`;
  });
  const response = await fetch(`${url}/write?db=${id}&precision=ns`, {
    method: "POST",
    headers: { "X-Service-Auth": key },
    body: lines.join(""),
  });
  if (response.status !== 204) throw new Error(`not taken: ${response.status}`);
}
