//go:build !purego

#include "textflag.h"

#define MOVPTR MOVL
#define ADDPTR ADDL
#define SHRPTR SHRL
#define DECPTR DECL

#include "stream_x86.h"

// func copySSE2(a, b, c unsafe.Pointer, n uintptr, s float64)
TEXT ·copySSE2(SB), NOSPLIT, $0-24
	MOVL a+0(FP), DI
	MOVL b+4(FP), SI
	MOVL c+8(FP), BX
	MOVL n+12(FP), CX
	STREAM_LOOP(6, COPY_16, MOVAPD, X7, X0, X1, X2, X3)
	RET

// func copyAVX2(a, b, c unsafe.Pointer, n uintptr, s float64)
TEXT ·copyAVX2(SB), NOSPLIT, $0-24
	MOVL a+0(FP), DI
	MOVL b+4(FP), SI
	MOVL c+8(FP), BX
	MOVL n+12(FP), CX
	STREAM_LOOP(7, COPY_32, VMOVAPD, Y7, Y0, Y1, Y2, Y3)
	VZEROUPPER
	RET

// func copyAVX512(a, b, c unsafe.Pointer, n uintptr, s float64)
TEXT ·copyAVX512(SB), NOSPLIT, $0-24
	MOVL a+0(FP), DI
	MOVL b+4(FP), SI
	MOVL c+8(FP), BX
	MOVL n+12(FP), CX
	STREAM_LOOP(8, COPY_64, VMOVAPD, Z7, Z0, Z1, Z2, Z3)
	VZEROUPPER
	RET

// func copyNTSSE2(a, b, c unsafe.Pointer, n uintptr, s float64)
TEXT ·copyNTSSE2(SB), NOSPLIT, $0-24
	MOVL a+0(FP), DI
	MOVL b+4(FP), SI
	MOVL c+8(FP), BX
	MOVL n+12(FP), CX
	STREAM_LOOP(6, COPY_16, MOVNTPD, X7, X0, X1, X2, X3)
	RET

// func copyNTAVX2(a, b, c unsafe.Pointer, n uintptr, s float64)
TEXT ·copyNTAVX2(SB), NOSPLIT, $0-24
	MOVL a+0(FP), DI
	MOVL b+4(FP), SI
	MOVL c+8(FP), BX
	MOVL n+12(FP), CX
	STREAM_LOOP(7, COPY_32, VMOVNTPD, Y7, Y0, Y1, Y2, Y3)
	VZEROUPPER
	RET

// func copyNTAVX512(a, b, c unsafe.Pointer, n uintptr, s float64)
TEXT ·copyNTAVX512(SB), NOSPLIT, $0-24
	MOVL a+0(FP), DI
	MOVL b+4(FP), SI
	MOVL c+8(FP), BX
	MOVL n+12(FP), CX
	STREAM_LOOP(8, COPY_64, VMOVNTPD, Z7, Z0, Z1, Z2, Z3)
	VZEROUPPER
	RET

// func scaleSSE2(a, b, c unsafe.Pointer, n uintptr, s float64)
TEXT ·scaleSSE2(SB), NOSPLIT, $0-24
	MOVL a+0(FP), DI
	MOVL b+4(FP), SI
	MOVL c+8(FP), BX
	MOVL n+12(FP), CX
	MOVSD s+16(FP), X7
	UNPCKLPD X7, X7
	STREAM_LOOP(6, SCALE_16, MOVAPD, X7, X0, X1, X2, X3)
	RET

// func scaleAVX2(a, b, c unsafe.Pointer, n uintptr, s float64)
TEXT ·scaleAVX2(SB), NOSPLIT, $0-24
	MOVL a+0(FP), DI
	MOVL b+4(FP), SI
	MOVL c+8(FP), BX
	MOVL n+12(FP), CX
	MOVSD s+16(FP), X7
	VBROADCASTSD X7, Y7
	STREAM_LOOP(7, SCALE_32, VMOVAPD, Y7, Y0, Y1, Y2, Y3)
	VZEROUPPER
	RET

// func scaleAVX512(a, b, c unsafe.Pointer, n uintptr, s float64)
TEXT ·scaleAVX512(SB), NOSPLIT, $0-24
	MOVL a+0(FP), DI
	MOVL b+4(FP), SI
	MOVL c+8(FP), BX
	MOVL n+12(FP), CX
	MOVSD s+16(FP), X7
	VBROADCASTSD X7, Z7
	STREAM_LOOP(8, SCALE_64, VMOVAPD, Z7, Z0, Z1, Z2, Z3)
	VZEROUPPER
	RET

// func addSSE2(a, b, c unsafe.Pointer, n uintptr, s float64)
TEXT ·addSSE2(SB), NOSPLIT, $0-24
	MOVL a+0(FP), DI
	MOVL b+4(FP), SI
	MOVL c+8(FP), BX
	MOVL n+12(FP), CX
	STREAM_LOOP(6, ADD_16, MOVAPD, X7, X0, X1, X2, X3)
	RET

// func addAVX2(a, b, c unsafe.Pointer, n uintptr, s float64)
TEXT ·addAVX2(SB), NOSPLIT, $0-24
	MOVL a+0(FP), DI
	MOVL b+4(FP), SI
	MOVL c+8(FP), BX
	MOVL n+12(FP), CX
	STREAM_LOOP(7, ADD_32, VMOVAPD, Y7, Y0, Y1, Y2, Y3)
	VZEROUPPER
	RET

// func addAVX512(a, b, c unsafe.Pointer, n uintptr, s float64)
TEXT ·addAVX512(SB), NOSPLIT, $0-24
	MOVL a+0(FP), DI
	MOVL b+4(FP), SI
	MOVL c+8(FP), BX
	MOVL n+12(FP), CX
	STREAM_LOOP(8, ADD_64, VMOVAPD, Z7, Z0, Z1, Z2, Z3)
	VZEROUPPER
	RET

// func triadSSE2(a, b, c unsafe.Pointer, n uintptr, s float64)
TEXT ·triadSSE2(SB), NOSPLIT, $0-24
	MOVL a+0(FP), DI
	MOVL b+4(FP), SI
	MOVL c+8(FP), BX
	MOVL n+12(FP), CX
	MOVSD s+16(FP), X7
	UNPCKLPD X7, X7
	STREAM_LOOP(6, TRIAD_16, MOVAPD, X7, X0, X1, X2, X3)
	RET

// func triadAVX2(a, b, c unsafe.Pointer, n uintptr, s float64)
TEXT ·triadAVX2(SB), NOSPLIT, $0-24
	MOVL a+0(FP), DI
	MOVL b+4(FP), SI
	MOVL c+8(FP), BX
	MOVL n+12(FP), CX
	MOVSD s+16(FP), X7
	VBROADCASTSD X7, Y7
	STREAM_LOOP(7, TRIAD_32, VMOVAPD, Y7, Y0, Y1, Y2, Y3)
	VZEROUPPER
	RET

// func triadAVX512(a, b, c unsafe.Pointer, n uintptr, s float64)
TEXT ·triadAVX512(SB), NOSPLIT, $0-24
	MOVL a+0(FP), DI
	MOVL b+4(FP), SI
	MOVL c+8(FP), BX
	MOVL n+12(FP), CX
	MOVSD s+16(FP), X7
	VBROADCASTSD X7, Z7
	STREAM_LOOP(8, TRIAD_64, VMOVAPD, Z7, Z0, Z1, Z2, Z3)
	VZEROUPPER
	RET

// func triadNTSSE2(a, b, c unsafe.Pointer, n uintptr, s float64)
TEXT ·triadNTSSE2(SB), NOSPLIT, $0-24
	MOVL a+0(FP), DI
	MOVL b+4(FP), SI
	MOVL c+8(FP), BX
	MOVL n+12(FP), CX
	MOVSD s+16(FP), X7
	UNPCKLPD X7, X7
	STREAM_LOOP(6, TRIAD_16, MOVNTPD, X7, X0, X1, X2, X3)
	RET

// func triadNTAVX2(a, b, c unsafe.Pointer, n uintptr, s float64)
TEXT ·triadNTAVX2(SB), NOSPLIT, $0-24
	MOVL a+0(FP), DI
	MOVL b+4(FP), SI
	MOVL c+8(FP), BX
	MOVL n+12(FP), CX
	MOVSD s+16(FP), X7
	VBROADCASTSD X7, Y7
	STREAM_LOOP(7, TRIAD_32, VMOVNTPD, Y7, Y0, Y1, Y2, Y3)
	VZEROUPPER
	RET

// func triadNTAVX512(a, b, c unsafe.Pointer, n uintptr, s float64)
TEXT ·triadNTAVX512(SB), NOSPLIT, $0-24
	MOVL a+0(FP), DI
	MOVL b+4(FP), SI
	MOVL c+8(FP), BX
	MOVL n+12(FP), CX
	MOVSD s+16(FP), X7
	VBROADCASTSD X7, Z7
	STREAM_LOOP(8, TRIAD_64, VMOVNTPD, Z7, Z0, Z1, Z2, Z3)
	VZEROUPPER
	RET

// func rmwSSE2(p unsafe.Pointer, n uintptr, pattern uint32)
TEXT ·rmwSSE2(SB), NOSPLIT, $0-12
	MOVL p+0(FP), DI
	MOVL n+4(FP), CX
	MOVL pattern+8(FP), AX
	MOVL AX, X7
	PSHUFL $0, X7, X7
	SINGLE_LOOP(6, RMW_16, MOVAPD, X7, X0, X1, X2, X3)
	RET

// func rmwAVX2(p unsafe.Pointer, n uintptr, pattern uint32)
TEXT ·rmwAVX2(SB), NOSPLIT, $0-12
	MOVL p+0(FP), DI
	MOVL n+4(FP), CX
	MOVL pattern+8(FP), AX
	MOVL AX, X7
	VPBROADCASTD X7, Y7
	SINGLE_LOOP(7, RMW_32, VMOVAPD, Y7, Y0, Y1, Y2, Y3)
	VZEROUPPER
	RET

// func rmwAVX512(p unsafe.Pointer, n uintptr, pattern uint32)
TEXT ·rmwAVX512(SB), NOSPLIT, $0-12
	MOVL p+0(FP), DI
	MOVL n+4(FP), CX
	MOVL pattern+8(FP), AX
	MOVL AX, X7
	VPBROADCASTD X7, Z7
	SINGLE_LOOP(8, RMW_64, VMOVAPD, Z7, Z0, Z1, Z2, Z3)
	VZEROUPPER
	RET

// func sumSSE2(p unsafe.Pointer, n uintptr) uint64
TEXT ·sumSSE2(SB), NOSPLIT, $0-16
	MOVL p+0(FP), DI
	MOVL n+4(FP), CX
	ZERO4_X
	SINGLE_LOOP(6, SUM_16, MOVAPD, X7, X0, X1, X2, X3)
	REDUCE_16
	MOVL X0, AX
	MOVL AX, ret_lo+8(FP)
	PSRLQ $32, X0
	MOVL X0, AX
	MOVL AX, ret_hi+12(FP)
	RET

// func sumAVX2(p unsafe.Pointer, n uintptr) uint64
TEXT ·sumAVX2(SB), NOSPLIT, $0-16
	MOVL p+0(FP), DI
	MOVL n+4(FP), CX
	ZERO4_V
	SINGLE_LOOP(7, SUM_32, MOVAPD, Y7, Y0, Y1, Y2, Y3)
	REDUCE_32
	MOVL X0, AX
	MOVL AX, ret_lo+8(FP)
	PSRLQ $32, X0
	MOVL X0, AX
	MOVL AX, ret_hi+12(FP)
	RET

// func sumAVX512(p unsafe.Pointer, n uintptr) uint64
TEXT ·sumAVX512(SB), NOSPLIT, $0-16
	MOVL p+0(FP), DI
	MOVL n+4(FP), CX
	ZERO4_V
	SINGLE_LOOP(8, SUM_64, MOVAPD, Z7, Z0, Z1, Z2, Z3)
	REDUCE_64
	MOVL X0, AX
	MOVL AX, ret_lo+8(FP)
	PSRLQ $32, X0
	MOVL X0, AX
	MOVL AX, ret_hi+12(FP)
	RET
