/** Tags that k6 gives its requests; which of them, depends on its version, `systemTags` and the request. */
export const K6_TAGS: readonly string[] = [
  "name",
  "url",
  "method",
  "status",
  "group",
  "scenario",
  "error",
  "error_code",
  "expected_response",
  "proto",
  "subproto",
  "service",
  "tls_version",
  "check",
  "ip",
  "ocsp_status",
];
