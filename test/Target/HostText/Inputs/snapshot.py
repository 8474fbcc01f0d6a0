"""Reads a snapshot of memory as pytorch.org/memory_viz does: the sum of what is in use, and
the actions in their order, without equal ones after one another."""

import pickle
import sys


def main():
    with open(sys.argv[1], "rb") as file:
        snapshot = pickle.load(file)
    used = sum(block["size"] for segment in snapshot["segments"] for block in segment["blocks"]
               if block["state"] == "active_allocated")
    trace, = snapshot["device_traces"]
    actions = [event["action"] for event in trace]
    print(f"{used} bytes in use, {len(trace)} events:",
          *[action for i, action in enumerate(actions) if i == 0 or action != actions[i - 1]])
    frame = next((event["frames"][0] for event in trace if event["frames"]), None)
    if frame:
        print(f"{frame['filename']}:{frame['line']} {frame['name']}")


if __name__ == "__main__":
    main()
