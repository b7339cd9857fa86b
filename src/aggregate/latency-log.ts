/**
 * The latencies of open points, in order of arrival: (point, bucket) pairs, sorted once when the
 * points are sealed. Cheaper than a histogram in each open point, most of which hold few requests.
 */
export class LatencyLog {
  length = 0;
  point = new Uint32Array(4096);
  bucket = new Uint16Array(4096);
  /** How many requests each pair stands for; `undefined` while all of them stand for one. */
  weight: Float64Array | undefined;

  /** Makes room for `pairs` more. The arrays may be others afterwards. */
  reserve(pairs: number): void {
    const wanted = this.length + pairs;
    if (wanted <= this.point.length) return;
    const size = Math.max(wanted, this.point.length * 2);
    const [point, bucket] = [new Uint32Array(size), new Uint16Array(size)];
    point.set(this.point);
    bucket.set(this.bucket);
    [this.point, this.bucket] = [point, bucket];
    if (this.weight === undefined) return;
    const weight = new Float64Array(size).fill(1);
    weight.set(this.weight);
    this.weight = weight;
  }

  /** Lets pair `at` stand for `weight` requests. */
  weigh(at: number, weight: number): void {
    this.weight ??= new Float64Array(this.point.length).fill(1);
    this.weight[at] = weight;
  }

  clear(): void {
    this.length = 0;
    this.weight = undefined;
  }
}
