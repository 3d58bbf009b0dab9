"""Takes the ELF image out of a compressed kernel, so that QEMU boots it directly.

usage: unpack_kernel.py VMLINUZ OUT    the offsets are those of the kernel's boot protocol for x86
"""

import gzip
import lzma
import struct
import subprocess
import sys


def unpacked(image):
    setup_bytes = (image[0x1F1] or 4) * 512 + 512
    offset, size = struct.unpack_from("<II", image, 0x248)
    payload = image[setup_bytes + offset : setup_bytes + offset + size]
    if payload.startswith(b"\xfd7zXZ\0"):
        return lzma.LZMADecompressor().decompress(payload)
    if payload.startswith(b"\x1f\x8b"):
        return gzip.decompress(payload[:-4])
    if payload.startswith(b"\x28\xb5\x2f\xfd"):
        return subprocess.run(["zstd", "-dqc"], input=payload[:-4], stdout=subprocess.PIPE, check=True).stdout
    sys.exit(f"unknown compression {payload[:6].hex()}")


with open(sys.argv[1], "rb") as file:
    kernel = unpacked(file.read())
if not kernel.startswith(b"\x7fELF"):
    sys.exit(f"{sys.argv[1]} holds no ELF image")
with open(sys.argv[2], "wb") as file:
    file.write(kernel)
