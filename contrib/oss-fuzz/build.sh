#!/bin/bash -eu
# SPDX-License-Identifier: ISC
# Builds the fuzz targets into $OUT, each with its seeds: run by OSS-Fuzz in the source tree,
# with CC, CFLAGS and LIB_FUZZING_ENGINE. The machine that fuzzes has no libraries of ours, so
# that these are linked statically.

./autogen.sh
mkdir -p "$WORK/muxbus"
source=$PWD
cd "$WORK/muxbus"
"$source/configure" --enable-fuzzers --disable-hardening --disable-shared --enable-static \
	EVENT_CFLAGS= EVENT_LIBS=-l:libevent_core.a \
	PCRE2_CFLAGS= PCRE2_LIBS=-l:libpcre2-8.a \
	YAJL_CFLAGS= YAJL_LIBS=-l:libyajl_s.a

for file in "$source"/tests/fuzz/fuzz_*.c; do
	target=$(basename "$file" .c)
	seeds=$source/tests/fuzz/corpus/${target#fuzz_}
	make -j"$(nproc)" "tests/fuzz/$target"
	cp "tests/fuzz/$target" "$OUT/"
	zip -q -r -j "$OUT/${target}_seed_corpus.zip" "$seeds"
done
