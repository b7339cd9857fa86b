"""The buckets of response times, as docs/internals/formats/block.md says: all that is known here of the precision of percentiles."""

#: How far a percentile may be from the exact value.
SHARE = 0.001
#: Percentiles of whole milliseconds below this many microseconds are exact.
EXACT_BELOW = 999_500


def floor_of(bucket: int) -> int:
    """The smallest value of a bucket, in microseconds."""
    if bucket < 1000:
        return bucket
    unit, place = 10, bucket - 1000
    # Of a decade: five buckets each of the numbers up to 250, but of 100 only those above it, two each up to 500, then one.
    while place >= 753 + 500 + 499:
        unit, place = unit * 10, place - (753 + 500 + 499)
    if place == 0:
        return -(-1999 * unit // 20)
    if place < 753:
        return (199 * unit) // 2 + (place + 2) * unit // 5
    if place < 753 + 500:
        return (501 * unit) // 2 + (place - 753) * unit // 2
    return (1001 * unit) // 2 + (place - 753 - 500) * unit
