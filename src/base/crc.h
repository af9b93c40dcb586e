/* SPDX-License-Identifier: ISC */
/* CRC-32C (Castagnoli), to detect damaged files. */
#ifndef BASE_CRC_H
#define BASE_CRC_H

#include <stddef.h>
#include <stdint.h>

/* The checksum of bytes; crc is that of the bytes before them, 0 at the beginning. */
uint32_t crc32c(uint32_t crc, const void *bytes, size_t len);

/* The same without special instructions. */
uint32_t crc32c_portable(uint32_t crc, const void *bytes, size_t len);

#endif
