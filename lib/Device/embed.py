"""Writes the bytes of a file as the elements of a C array."""
import sys

with open(sys.argv[1], "rb") as file:
    data = file.read()
with open(sys.argv[2], "w") as file:
    for i in range(0, len(data), 24):
        file.write(",".join(map(str, data[i : i + 24])) + ",\n")
