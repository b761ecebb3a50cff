"""One exception tree: a class a kind of fault, each also the built-in that it is."""

__all__ = [
    "BorderError",
    "BoundsError",
    "CacheError",
    "CompileError",
    "DTypeError",
    "DeviceError",
    "ExchangeError",
    "ImageFileError",
    "InternalError",
    "MuntinError",
    "ParameterError",
    "PipelineError",
    "RaceError",
    "RangeError",
    "ShapeError",
    "StaleInputError",
    "UnsupportedError",
]


class MuntinError(Exception):
    """Base of every error that muntin raises for a user's fault."""


class ShapeError(MuntinError, ValueError):
    """Shapes, ranks or axes do not fit together."""


class DTypeError(MuntinError, TypeError):
    """An element type that the operation does not take."""


class BorderError(MuntinError, ValueError):
    """A border that is unknown, ambiguous, out of range or not usable here."""


class BoundsError(MuntinError, IndexError):
    """An index or a box outside the array."""


class ParameterError(MuntinError, ValueError):
    """A parameter outside the values that the function takes."""


class DeviceError(MuntinError, RuntimeError):
    """A device that is missing, lacks a feature, or differs between operands."""


class ExchangeError(MuntinError, BufferError):
    """Memory that cannot be handed to another library, or taken from it."""


class CompileError(MuntinError, RuntimeError):
    """Generated code that the target's compiler refused."""


class CacheError(MuntinError, OSError):
    """A kernel cache folder that cannot be used safely."""


class StaleInputError(MuntinError, RuntimeError):
    """An input that muntin has written since the expression was built."""


class UnsupportedError(MuntinError, TypeError):
    """A conversion or call that has no meaning for a lazy Array."""


class PipelineError(MuntinError, ValueError):
    """A pipeline text that cannot be understood."""


class ImageFileError(MuntinError, OSError):
    """An image file that cannot be read or written."""


class RaceError(MuntinError, RuntimeError):
    """Iterations of a parallel loop of which one uses what another writes."""


class InternalError(Exception):
    """A fault of muntin itself: please report it."""


class RangeError(MuntinError, OverflowError):
    """A number that the element type cannot hold."""
