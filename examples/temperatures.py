#!/usr/bin/env python3
"""Write temperatures.csv, the input of statistics.c: twelve years of hourly temperatures of a place that does not exist.

Generated, not measured: a year's and a day's wave, weather that lasts a few days, and noise, from a fixed seed, so that
the file is the same on every machine.

    examples/temperatures.py >examples/temperatures.csv
"""
import math
import random

HOURS = 12 * 8766


def main():
    rng = random.Random(20250611)
    weather = 0.0
    print("hour,temperature")
    for hour in range(HOURS):
        year = -11.0 * math.cos(2 * math.pi * (hour / 8766.0 - 0.05))
        day = -4.0 * math.cos(2 * math.pi * ((hour % 24) - 3) / 24)
        weather = 0.985 * weather + (rng.random() + rng.random() + rng.random() - 1.5) * 1.6
        print("%d,%.2f" % (hour, 9.5 + year + day + weather + rng.random() - 0.5))


if __name__ == "__main__":
    main()
