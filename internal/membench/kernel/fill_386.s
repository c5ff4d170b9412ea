//go:build !purego

#include "textflag.h"

#define MOVPTR MOVL
#define ADDPTR ADDL
#define SHRPTR SHRL
#define DECPTR DECL
#define TESTPTR TESTL

#include "fill_x86.h"

// func fillSSE2(p unsafe.Pointer, n uintptr, pattern uint32)
TEXT ·fillSSE2(SB), NOSPLIT, $0-12
	MOVL p+0(FP), DI
	MOVL n+4(FP), CX
	MOVL pattern+8(FP), AX
	BROADCAST_X0
	VECTOR_FILL(6, LINE16, MOVOA, X0, MOVL)
	RET

// func fillAVX2(p unsafe.Pointer, n uintptr, pattern uint32)
TEXT ·fillAVX2(SB), NOSPLIT, $0-12
	MOVL p+0(FP), DI
	MOVL n+4(FP), CX
	MOVL pattern+8(FP), AX
	MOVL AX, X0
	VPBROADCASTD X0, Y0
	VECTOR_FILL(6, LINE32, VMOVDQA, Y0, MOVL)
	VZEROUPPER
	RET

// func fillAVX512(p unsafe.Pointer, n uintptr, pattern uint32)
TEXT ·fillAVX512(SB), NOSPLIT, $0-12
	MOVL p+0(FP), DI
	MOVL n+4(FP), CX
	MOVL pattern+8(FP), AX
	MOVL AX, X0
	VPBROADCASTD X0, Z0
	VECTOR_FILL(6, LINE64, VMOVDQA64, Z0, MOVL)
	VZEROUPPER
	RET

// func fillMOVNTI(p unsafe.Pointer, n uintptr, pattern uint32)
TEXT ·fillMOVNTI(SB), NOSPLIT, $0-12
	MOVL p+0(FP), DI
	MOVL n+4(FP), CX
	MOVL pattern+8(FP), AX
	INT_FILL(MOVNTIL)
	RET

// func fillNTSSE2(p unsafe.Pointer, n uintptr, pattern uint32)
TEXT ·fillNTSSE2(SB), NOSPLIT, $0-12
	MOVL p+0(FP), DI
	MOVL n+4(FP), CX
	MOVL pattern+8(FP), AX
	BROADCAST_X0
	VECTOR_FILL(8, BLOCK16, MOVNTO, X0, MOVNTIL)
	RET

// func fillNTAVX2(p unsafe.Pointer, n uintptr, pattern uint32)
TEXT ·fillNTAVX2(SB), NOSPLIT, $0-12
	MOVL p+0(FP), DI
	MOVL n+4(FP), CX
	MOVL pattern+8(FP), AX
	MOVL AX, X0
	VPBROADCASTD X0, Y0
	VECTOR_FILL(8, BLOCK32, VMOVNTDQ, Y0, MOVNTIL)
	VZEROUPPER
	RET

// func fillNTAVX512(p unsafe.Pointer, n uintptr, pattern uint32)
TEXT ·fillNTAVX512(SB), NOSPLIT, $0-12
	MOVL p+0(FP), DI
	MOVL n+4(FP), CX
	MOVL pattern+8(FP), AX
	MOVL AX, X0
	VPBROADCASTD X0, Z0
	VECTOR_FILL(8, BLOCK64, VMOVNTDQ, Z0, MOVNTIL)
	VZEROUPPER
	RET

// func fillInt(p unsafe.Pointer, n uintptr, pattern uint32)
TEXT ·fillInt(SB), NOSPLIT, $0-12
	MOVL p+0(FP), DI
	MOVL n+4(FP), CX
	MOVL pattern+8(FP), AX
	INT_FILL(MOVL)
	RET

// The word of this build is 32 bits wide, so this is fillInt's loop; it has
// a body of its own so that the table can name it.
//
// func fillWord(p unsafe.Pointer, n uintptr, pattern uint32)
TEXT ·fillWord(SB), NOSPLIT, $0-12
	MOVL p+0(FP), DI
	MOVL n+4(FP), CX
	MOVL pattern+8(FP), AX
	INT_FILL(MOVL)
	RET

// func zeroSTOSB(p unsafe.Pointer, n uintptr, pattern uint32)
TEXT ·zeroSTOSB(SB), NOSPLIT, $0-12
	MOVL p+0(FP), DI
	MOVL n+4(FP), CX
	XORL AX, AX
	REP; STOSB
	RET

// func zeroSTOSD(p unsafe.Pointer, n uintptr, pattern uint32)
TEXT ·zeroSTOSD(SB), NOSPLIT, $0-12
	MOVL p+0(FP), DI
	MOVL n+4(FP), CX
	SHRL $2, CX
	XORL AX, AX
	REP; STOSL
	RET

// func zeroCLZERO(p unsafe.Pointer, n uintptr, pattern uint32)
TEXT ·zeroCLZERO(SB), NOSPLIT, $0-12
	MOVL p+0(FP), DI
	MOVL n+4(FP), CX
	CLZERO_FILL
	RET

// func cpuid(leaf, subleaf uint32) (eax, ebx, ecx, edx uint32)
TEXT ·cpuid(SB), NOSPLIT, $0-24
	MOVL leaf+0(FP), AX
	MOVL subleaf+4(FP), CX
	CPUID
	MOVL AX, eax+8(FP)
	MOVL BX, ebx+12(FP)
	MOVL CX, ecx+16(FP)
	MOVL DX, edx+20(FP)
	RET

// func fence()
TEXT ·fence(SB), NOSPLIT, $0-0
	SFENCE
	RET
