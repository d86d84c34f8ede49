# SPDX-License-Identifier: Apache-2.0
"""What the utility bench needs, checked before anything runs."""
import importlib
import os
import sys

PACKAGES = {  # module: Debian package
    "numpy": "python3-numpy",
    "pandas": "python3-pandas",
    "scipy": "python3-scipy",
    "sklearn": "python3-sklearn",
    "xgboost": "python3-xgboost",
    "torch": "python3-torch",
}


def missing_packages(modules):
    missing = []
    for module in modules:
        try:
            importlib.import_module(module)
        except ImportError:
            missing.append(PACKAGES[module])
    return missing


def require(modules=("numpy", "pandas", "scipy", "sklearn", "xgboost")):
    """Stop with one line that names every missing package."""
    missing = missing_packages(modules)
    if missing:
        stop(f"missing Python packages: apt install {' '.join(missing)} (and run with /usr/bin/python3)")


def require_program(path):
    if not (os.path.isfile(path) and os.access(path, os.X_OK)):
        stop(f"{path} is not a program: build it (make), or name it with --program")


def stop(message):
    """One line, and the exit code for wrong usage."""
    print(f"{os.path.basename(sys.argv[0])}: {message}", file=sys.stderr)
    sys.exit(2)
