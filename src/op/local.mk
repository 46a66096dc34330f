core_sources += \
	src/op/accumulate.c \
	src/op/accumulate.h \
	src/op/binned.c \
	src/op/binned.h \
	src/op/kernels.h \
	src/op/op.c \
	src/op/op.h \
	src/op/user.c \
	src/op/user.h

# The kernels, once per level of SIMD instructions.
kernel_cflags = $(AM_CFLAGS) $(VECTOR_CFLAGS)
kernel_sources = src/op/binned.inc src/op/extremes.inc src/op/halves.inc src/op/kernels.def src/op/kernels.inc \
	src/op/long_doubles.inc src/op/pairs.inc

noinst_LTLIBRARIES += libtreefold_kernels_baseline.la
core_libs += libtreefold_kernels_baseline.la
libtreefold_kernels_baseline_la_SOURCES = src/op/kernels_baseline.c $(kernel_sources)
libtreefold_kernels_baseline_la_CPPFLAGS = $(AM_CPPFLAGS) $(COMPILE_ONCE)
libtreefold_kernels_baseline_la_CFLAGS = $(kernel_cflags)

if TF_HAVE_AVX2
noinst_LTLIBRARIES += libtreefold_kernels_avx2.la
core_libs += libtreefold_kernels_avx2.la
endif
libtreefold_kernels_avx2_la_SOURCES = src/op/kernels_avx2.c $(kernel_sources)
libtreefold_kernels_avx2_la_CPPFLAGS = $(AM_CPPFLAGS) $(COMPILE_ONCE)
libtreefold_kernels_avx2_la_CFLAGS = $(kernel_cflags) $(AVX2_CFLAGS) -mf16c

if TF_HAVE_AVX512
noinst_LTLIBRARIES += libtreefold_kernels_avx512.la
core_libs += libtreefold_kernels_avx512.la
endif
libtreefold_kernels_avx512_la_SOURCES = src/op/kernels_avx512.c $(kernel_sources)
libtreefold_kernels_avx512_la_CPPFLAGS = $(AM_CPPFLAGS) $(COMPILE_ONCE)
libtreefold_kernels_avx512_la_CFLAGS = $(kernel_cflags) $(AVX512_CFLAGS) -mf16c
