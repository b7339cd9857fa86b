import http from "k6/http";

const { TARGET, RATE, SECONDS, HOG_AT } = __ENV;
const ENDPOINTS = ["home", "search", "cart", "checkout"];

export const options = {
  systemTags: ["name", "method", "status", "error", "error_code", "expected_response", "scenario"],
  scenarios: {
    shop: {
      exec: "shop",
      executor: "constant-arrival-rate",
      rate: Number(RATE),
      duration: `${SECONDS}s`,
      preAllocatedVUs: 30,
      maxVUs: 30,
    },
    // Computes without a pause.
    ...(HOG_AT && {
      hog: {
        executor: "constant-vus",
        exec: "hog",
        vus: 6,
        startTime: `${HOG_AT}s`,
        duration: `${SECONDS - HOG_AT}s`,
        gracefulStop: "0s",
      },
    }),
  },
};

export function shop() {
  const name = ENDPOINTS[Math.floor(Math.random() * ENDPOINTS.length)];
  http.get(`${TARGET}/${name}`, { tags: { name }, timeout: "10s" });
}

export function hog() {
  for (let sum = 0, step = 0; step < 3e5; step++) sum += Math.sqrt(step);
}
