/** Tags that name a host or what stands for one, as Telegraf, OpenTelemetry, Prometheus and Kubernetes do. */
const HOST_TAG =
  /(?:^|[._])(?:host(?:name)?|instance|node|pod|container|server)(?:[._](?:name|id))?$/;

/** The first tag of a host, and its value; `undefined` without one. */
export function hostTagOf(
  tags: readonly (readonly [tag: string, value: string])[],
): readonly [tag: string, host: string] | undefined {
  return tags.find(([tag]) => HOST_TAG.test(tag));
}
