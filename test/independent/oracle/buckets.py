"""The buckets of response times, as docs/internals/formats/block.md says: all that is known here of the precision of percentiles."""

#: How far a percentile may be from the exact value.
SHARE = 1 / 128
#: Percentiles of whole milliseconds below this many microseconds are exact.
EXACT_BELOW = 64_000

#: Of each power of two; values below twice as many have their own.
PER_OCTAVE = 64


def floor_of(bucket: int) -> int:
    """The smallest value of a bucket, in microseconds."""
    if bucket < 2 * PER_OCTAVE:
        return bucket
    octave, step = divmod(bucket, PER_OCTAVE)
    return (PER_OCTAVE + step) << (octave - 1)
