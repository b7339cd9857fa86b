"""Change points of series by Apache Otava with what it takes by default.

Reads one JSON list of series (lists of numbers) from standard input, and writes for each the list of the
indexes at which it tells a change, as JSON, to standard output.
"""

import json
import sys

from otava.analysis import compute_change_points

series = json.load(sys.stdin)
found = [compute_change_points([float(value) for value in values])[0] for values in series]
json.dump([[int(point.index) for point in points] for points in found], sys.stdout)
