"""How a Python program of the corpus says that it has reached its stage."""
import gc
import sys


def ready(*keep):
    gc.collect()
    print("READY", flush=True)
    sys.stdin.read()
    return keep
