#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tables of scikit-learn as frames of pandas, and a frame with times of day, mixed dates and small numbers. Needs pyarrow."""
import datetime
import sys
import unittest
import warnings

try:
    import pandas
    import pyarrow  # noqa: F401, which frames of pandas need

    import sklearn_test
except ImportError as missing:
    print("skipped: %s" % missing)
    sys.exit(77)

import semblance


def quietly(call, *arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return call(*arguments)


class Frames(sklearn_test.Checks):
    def test_frames(self):
        for name, frame in sklearn_test.tables():
            with self.subTest(table=name):
                schema = quietly(semblance.Schema.inspect, frame)
                self.check(schema.to_dict(), frame)
                self.assertEqual(schema.check(frame).count(": all cells good"), len(frame.columns))

    def test_times_and_mixed_dates_of_a_frame(self):
        times = [datetime.time(6 + i % 12, i % 60, i * 7 % 60) for i in range(300)]
        days = ["2024-%02d-%02d" % (1 + i % 12, 13 + i % 9) if i % 3 else "%02d.%02d.2024" % (13 + i % 9, 1 + i % 12) for i in range(300)]
        frame = pandas.DataFrame({"at": times, "day": days, "rate": [1e-6 * (i % 50 + 1) for i in range(300)]})
        schema = quietly(semblance.Schema.inspect, frame)
        fields = {field["name"]: field for field in schema.to_dict()["fields"]}
        self.assertEqual([fields[name]["type"] for name in frame.columns], ["time", "date", "number"])
        self.assertEqual(fields["day"]["format"], ["default", "%d.%m.%Y"])
        self.assertEqual(schema.check(frame).count("all cells good"), 3)
        made = quietly(semblance.Synthesizer(epsilon=20, method="marginals", schema=schema).fit, frame).sample(50).to_pandas()
        for text in made["at"]:
            datetime.time.fromisoformat(text)


if __name__ == "__main__":
    unittest.main()
