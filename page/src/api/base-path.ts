/** Base path of the service, taken from the page's own path, without a trailing slash. */
export const BASE_PATH = import.meta.env.BASE_URL.replace(/\/$/, "");
