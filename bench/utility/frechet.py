# SPDX-License-Identifier: Apache-2.0
"""The Frechet distance of a synthetic set of images, by `semblance evaluate` and a public network. NOT PRIVATE.

The network gives the distance its name ("FD by squeezenet1.1"). A distance by one network does not compare with a
distance by another, nor with FID, which is that of Inception.
"""
import json
import subprocess

import program


def named(path):
    """`NAME` of .../NAME.safetensors, as a distance is named by it."""
    return path.rsplit("/", 1)[-1].removesuffix(".safetensors")


def command(semblance, real, synthetic, encoder, seed=0):
    """Both are IDX files of images. Without labels no model is trained, so that only the distance takes time."""
    return [semblance, "evaluate", "--images", "--real", real, "--synthetic", synthetic, "--encoder", encoder,
            "--models", "none", "--seed", str(seed), "--json"]


def distance(semblance, real, synthetic, encoder, seed=0):
    """{"name": "FD by ...", "synthetic": ..., "ceiling": ..., "floor": ..., "images": ..., ...}"""
    arguments = command(semblance, real, synthetic, encoder, seed)
    answer = subprocess.run(arguments, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    if answer.returncode != 0:
        last = (answer.stderr.strip().splitlines() or ["no message"])[-1]
        raise program.ProgramError(f"exit {answer.returncode}: {last}")
    return read(answer.stdout, encoder)


def read(document, encoder):
    """Of what that command prints."""
    found = json.loads(document)["images"]["frechet"]
    values = {key: round(value, 2) for key, value in found["distance"].items()}
    return {"name": f"FD by {named(encoder)}", **values, "images": found["images"], "side": found["side"],
            "sha256": found["sha256"], "trained_on": found["trained_on"]}
