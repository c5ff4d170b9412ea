//go:build !purego

#include "textflag.h"

// In all loops: R0 = the array that is written (or summed), R1 and R2 = the
// arrays that are read, R3 = bytes of each, a multiple of 256 above 0, then
// iterations of 128 bytes. V31 has the scalar, or the addend, in every lane.

#define ITERATIONS LSR $7, R3, R3

#define NEXT1 \
	ADD  $128, R0  \
	SUB  $1, R3    \
	CBNZ R3, loop

#define NEXT2 \
	ADD  $128, R1  \
	NEXT1

#define NEXT3 \
	ADD  $128, R2  \
	NEXT2

#define LOAD_V0_7(P) \
	FLDPQ 0(P), (F0, F1)   \
	FLDPQ 32(P), (F2, F3)  \
	FLDPQ 64(P), (F4, F5)  \
	FLDPQ 96(P), (F6, F7)

#define LOAD_V8_15(P) \
	FLDPQ 0(P), (F8, F9)     \
	FLDPQ 32(P), (F10, F11)  \
	FLDPQ 64(P), (F12, F13)  \
	FLDPQ 96(P), (F14, F15)

#define STORE_V0_7 \
	FSTPQ (F0, F1), 0(R0)   \
	FSTPQ (F2, F3), 32(R0)  \
	FSTPQ (F4, F5), 64(R0)  \
	FSTPQ (F6, F7), 96(R0)

// STNP Qt, Qu, [X0, #16*imm7], FMUL and FADD Vd.2D, Vn.2D, Vm.2D, which Go's
// assembler does not know (Arm Architecture Reference Manual, C7.2).
#define STNP(t, u, imm7) WORD $(0xac000000 | (imm7<<15) | (u<<10) | t)
#define FMUL2D(m, n, d) WORD $(0x6e60dc00 | (m<<16) | (n<<5) | d)
#define FADD2D(m, n, d) WORD $(0x4e60d400 | (m<<16) | (n<<5) | d)

#define STORENT_V0_7 \
	STNP(0, 1, 0)  \
	STNP(2, 3, 2)  \
	STNP(4, 5, 4)  \
	STNP(6, 7, 6)

// V0-V7 times the scalar.
#define MULTIPLY \
	FMUL2D(31, 0, 0)  \
	FMUL2D(31, 1, 1)  \
	FMUL2D(31, 2, 2)  \
	FMUL2D(31, 3, 3)  \
	FMUL2D(31, 4, 4)  \
	FMUL2D(31, 5, 5)  \
	FMUL2D(31, 6, 6)  \
	FMUL2D(31, 7, 7)

// V0-V7 plus V8-V15, as float64.
#define PLUS \
	FADD2D(8, 0, 0)   \
	FADD2D(9, 1, 1)   \
	FADD2D(10, 2, 2)  \
	FADD2D(11, 3, 3)  \
	FADD2D(12, 4, 4)  \
	FADD2D(13, 5, 5)  \
	FADD2D(14, 6, 6)  \
	FADD2D(15, 7, 7)

// func copySTP(a, b, c unsafe.Pointer, n uintptr, s float64)
TEXT ·copySTP(SB), NOSPLIT, $0-40
	MOVD a+0(FP), R0
	MOVD b+8(FP), R1
	MOVD c+16(FP), R2
	MOVD n+24(FP), R3
	ITERATIONS
loop:
	LOAD_V0_7(R1)
	STORE_V0_7
	NEXT2
	RET

// func copySTNP(a, b, c unsafe.Pointer, n uintptr, s float64)
TEXT ·copySTNP(SB), NOSPLIT, $0-40
	MOVD a+0(FP), R0
	MOVD b+8(FP), R1
	MOVD c+16(FP), R2
	MOVD n+24(FP), R3
	ITERATIONS
loop:
	LOAD_V0_7(R1)
	STORENT_V0_7
	NEXT2
	RET

// func scaleSTP(a, b, c unsafe.Pointer, n uintptr, s float64)
TEXT ·scaleSTP(SB), NOSPLIT, $0-40
	MOVD a+0(FP), R0
	MOVD b+8(FP), R1
	MOVD c+16(FP), R2
	MOVD n+24(FP), R3
	FMOVD s+32(FP), F31
	VDUP V31.D[0], V31.D2
	ITERATIONS
loop:
	LOAD_V0_7(R1)
	MULTIPLY
	STORE_V0_7
	NEXT2
	RET

// func addSTP(a, b, c unsafe.Pointer, n uintptr, s float64)
TEXT ·addSTP(SB), NOSPLIT, $0-40
	MOVD a+0(FP), R0
	MOVD b+8(FP), R1
	MOVD c+16(FP), R2
	MOVD n+24(FP), R3
	ITERATIONS
loop:
	LOAD_V0_7(R1)
	LOAD_V8_15(R2)
	PLUS
	STORE_V0_7
	NEXT3
	RET

// s*c first; not fused, so that every tier rounds alike.
//
// func triadSTP(a, b, c unsafe.Pointer, n uintptr, s float64)
TEXT ·triadSTP(SB), NOSPLIT, $0-40
	MOVD a+0(FP), R0
	MOVD b+8(FP), R1
	MOVD c+16(FP), R2
	MOVD n+24(FP), R3
	FMOVD s+32(FP), F31
	VDUP V31.D[0], V31.D2
	ITERATIONS
loop:
	LOAD_V0_7(R2)
	LOAD_V8_15(R1)
	MULTIPLY
	PLUS
	STORE_V0_7
	NEXT3
	RET

// func triadSTNP(a, b, c unsafe.Pointer, n uintptr, s float64)
TEXT ·triadSTNP(SB), NOSPLIT, $0-40
	MOVD a+0(FP), R0
	MOVD b+8(FP), R1
	MOVD c+16(FP), R2
	MOVD n+24(FP), R3
	FMOVD s+32(FP), F31
	VDUP V31.D[0], V31.D2
	ITERATIONS
loop:
	LOAD_V0_7(R2)
	LOAD_V8_15(R1)
	MULTIPLY
	PLUS
	STORENT_V0_7
	NEXT3
	RET

// func rmwSTP(p unsafe.Pointer, n uintptr, pattern uint32)
TEXT ·rmwSTP(SB), NOSPLIT, $0-20
	MOVD p+0(FP), R0
	MOVD n+8(FP), R3
	MOVWU pattern+16(FP), R2
	VDUP R2, V31.S4
	ITERATIONS
loop:
	LOAD_V0_7(R0)
	VADD V31.S4, V0.S4, V0.S4
	VADD V31.S4, V1.S4, V1.S4
	VADD V31.S4, V2.S4, V2.S4
	VADD V31.S4, V3.S4, V3.S4
	VADD V31.S4, V4.S4, V4.S4
	VADD V31.S4, V5.S4, V5.S4
	VADD V31.S4, V6.S4, V6.S4
	VADD V31.S4, V7.S4, V7.S4
	STORE_V0_7
	NEXT1
	RET

// func sumLDP(p unsafe.Pointer, n uintptr) uint64
TEXT ·sumLDP(SB), NOSPLIT, $0-24
	MOVD p+0(FP), R0
	MOVD n+8(FP), R3
	VEOR V16.B16, V16.B16, V16.B16
	VEOR V17.B16, V17.B16, V17.B16
	VEOR V18.B16, V18.B16, V18.B16
	VEOR V19.B16, V19.B16, V19.B16
	VEOR V20.B16, V20.B16, V20.B16
	VEOR V21.B16, V21.B16, V21.B16
	VEOR V22.B16, V22.B16, V22.B16
	VEOR V23.B16, V23.B16, V23.B16
	ITERATIONS
loop:
	LOAD_V0_7(R0)
	VADD V0.D2, V16.D2, V16.D2
	VADD V1.D2, V17.D2, V17.D2
	VADD V2.D2, V18.D2, V18.D2
	VADD V3.D2, V19.D2, V19.D2
	VADD V4.D2, V20.D2, V20.D2
	VADD V5.D2, V21.D2, V21.D2
	VADD V6.D2, V22.D2, V22.D2
	VADD V7.D2, V23.D2, V23.D2
	NEXT1
	VADD V17.D2, V16.D2, V16.D2
	VADD V19.D2, V18.D2, V18.D2
	VADD V21.D2, V20.D2, V20.D2
	VADD V23.D2, V22.D2, V22.D2
	VADD V18.D2, V16.D2, V16.D2
	VADD V22.D2, V20.D2, V20.D2
	VADD V20.D2, V16.D2, V16.D2
	VMOV V16.D[0], R1
	VMOV V16.D[1], R2
	ADD  R2, R1
	MOVD R1, ret+16(FP)
	RET
