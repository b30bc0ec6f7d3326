"""The version of the package, which CHANGELOG and CITATION name too."""

__version__ = "0.1.0"
