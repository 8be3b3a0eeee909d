"""A learner as source text, for the firmware."""

from __future__ import annotations

import re

#: Keywords of Rust, in use or reserved, in small letters.
_RUST_KEYWORDS = frozenset(
    """abstract as async await become box break const continue crate do dyn else enum extern false final fn for gen if impl
    in let loop macro match mod move mut override priv pub ref return self static struct super trait true try type typeof
    unsafe unsized use virtual where while yield""".split()
)

#: With `_t` these are types of `stdint.h` and `stddef.h`. A keyword of C is a name: it never stands alone.
_C_TYPES = re.compile(r"u?int(_least|_fast)?(8|16|32|64)|u?int(ptr|max)|size|ptrdiff|wchar|max_align|nullptr")


def _bytes_of(image: bytes) -> str:
    lines = (image[start : start + 16] for start in range(0, len(image), 16))
    return "\n".join("    " + ", ".join(f"0x{byte:02x}" for byte in line) + "," for line in lines)


def _checked(name: str) -> str:
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise ValueError(f"a name has small letters, digits and underscores, not {name!r}")
    return name


def _checked_for_rust(name: str) -> str:
    if _checked(name) in _RUST_KEYWORDS:
        raise ValueError(f"{name!r} is a keyword of Rust: give another name")
    return name


def _checked_for_c(name: str) -> str:
    if _C_TYPES.fullmatch(_checked(name)):
        raise ValueError(f"{name!r} is no name of a monitor: {name}_t is a type of C")
    if name == "eig":
        raise ValueError("'eig' is no name of a monitor: names with eig_ belong to eigenstream.h")
    return name


def rust(rust_type: str, image: bytes, name: str) -> str:
    """Returns a Rust module with the image and a function that restores the learner."""
    modules = sorted({part.split("::")[0] for part in re.findall(r"\w+::\w+", rust_type)})
    return f"""//! A trained learner, {len(image)} bytes.

use eigenstream::{{Codec, CodecError, {", ".join(modules)}}};

/// Its type.
pub type Trained = {rust_type};

/// Its image.
pub static IMAGE: [u8; {len(image)}] = [
{_bytes_of(image)}
];

/// The learner as it was trained.
///
/// # Errors
/// [`CodecError`] if a byte was changed.
pub fn {_checked_for_rust(name)}() -> Result<Trained, CodecError> {{
    Trained::decode(&IMAGE)
}}
"""


def c(channels: int, image: bytes, name: str) -> str:
    """Returns a C header with the image of a monitor, for `NAME_load` of `eigenstream.h`."""
    guard = f"{_checked_for_c(name).upper()}_IMAGE_H"
    return f"""/* A trained monitor of {channels} channels, {len(image)} bytes.
 *   {name}_init(&monitor, ...);
 *   {name}_load(&monitor, {name}_image, sizeof {name}_image, NULL);
 * {name}_load exchanges the two: afterwards the array holds the monitor from before.
 */
#ifndef {guard}
#define {guard}

#include <stdint.h>

static uint8_t {name}_image[{len(image)}] = {{
{_bytes_of(image)}
}};

#endif
"""
