/** The label of every request of a tool that tells neither a name nor a URL. */
export const ALL_REQUESTS = "All requests";
