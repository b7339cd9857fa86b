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

  add(point: number, bucket: number, weight: number): void {
    const at = this.length++;
    if (at === this.point.length) this.#grow();
    this.point[at] = point;
    this.bucket[at] = bucket;
    if (weight !== 1 || this.weight !== undefined) this.#weigh(at, weight);
  }

  clear(): void {
    this.length = 0;
    this.weight = undefined;
  }

  #weigh(at: number, weight: number): void {
    this.weight ??= new Float64Array(this.point.length).fill(1);
    this.weight[at] = weight;
  }

  #grow(): void {
    const size = this.point.length * 2;
    const [point, bucket] = [new Uint32Array(size), new Uint16Array(size)];
    point.set(this.point);
    bucket.set(this.bucket);
    [this.point, this.bucket] = [point, bucket];
    if (this.weight === undefined) return;
    const weight = new Float64Array(size).fill(1);
    weight.set(this.weight);
    this.weight = weight;
  }
}
