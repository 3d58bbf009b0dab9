// libzstd for Swift: its functions with buffers whose positions they move, as functions of plain values.
#ifndef SENSORBROKER_CZSTD_H
#define SENSORBROKER_CZSTD_H

#include <zstd.h>
#include <zstd_errors.h>

// Compresses; returns how many bytes remain to be flushed, or an error. ZSTD_compressStream2
static inline size_t czstd_compress(ZSTD_CCtx *context, void *output, size_t capacity, size_t *written,
                                    const void *input, size_t length, size_t *read, ZSTD_EndDirective end) {
    ZSTD_outBuffer out = {output, capacity, *written};
    ZSTD_inBuffer in = {input, length, *read};
    size_t left = ZSTD_compressStream2(context, &out, &in, end);
    *written = out.pos;
    *read = in.pos;
    return left;
}

// Decompresses; returns 0 at the end of a frame, an error, or anything else. ZSTD_decompressStream
static inline size_t czstd_decompress(ZSTD_DCtx *context, void *output, size_t capacity, size_t *written,
                                      const void *input, size_t length, size_t *read) {
    ZSTD_outBuffer out = {output, capacity, *written};
    ZSTD_inBuffer in = {input, length, *read};
    size_t left = ZSTD_decompressStream(context, &out, &in);
    *written = out.pos;
    *read = in.pos;
    return left;
}

#endif
