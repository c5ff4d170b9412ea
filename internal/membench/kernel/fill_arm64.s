//go:build !purego

#include "textflag.h"

// In all loops: R0 = p, R1 = n in bytes, R2 = 32-bit pattern, R3 = 256-byte
// iterations, R1 then the words that remain.
#define SPLIT256 \
	LSR  $8, R1, R3   \
	AND  $255, R1, R1 \
	LSR  $2, R1, R1

#define TAIL \
	CBZ  R1, done     \
tail:                 \
	MOVW.P R2, 4(R0)  \
	SUB  $1, R1       \
	CBNZ R1, tail     \
done:

// func fillSTP(p unsafe.Pointer, n uintptr, pattern uint32)
TEXT ·fillSTP(SB), NOSPLIT, $0-20
	MOVD p+0(FP), R0
	MOVD n+8(FP), R1
	MOVWU pattern+16(FP), R2
	VDUP R2, V0.S4
	SPLIT256
	CBZ  R3, rest
loop:
	FSTPQ (F0, F0), 0(R0)
	FSTPQ (F0, F0), 32(R0)
	FSTPQ (F0, F0), 64(R0)
	FSTPQ (F0, F0), 96(R0)
	FSTPQ (F0, F0), 128(R0)
	FSTPQ (F0, F0), 160(R0)
	FSTPQ (F0, F0), 192(R0)
	FSTPQ (F0, F0), 224(R0)
	ADD  $256, R0
	SUB  $1, R3
	CBNZ R3, loop
rest:
	TAIL
	RET

// STNP Q0, Q0, [X0, #16*imm7], which Go's assembler does not know
// (Arm Architecture Reference Manual, C7.2, STNP (SIMD&FP)).
#define STNPQ0(imm7) WORD $(0xac000000 | (imm7<<15))

// func fillSTNP(p unsafe.Pointer, n uintptr, pattern uint32)
TEXT ·fillSTNP(SB), NOSPLIT, $0-20
	MOVD p+0(FP), R0
	MOVD n+8(FP), R1
	MOVWU pattern+16(FP), R2
	VDUP R2, V0.S4
	SPLIT256
	CBZ  R3, rest
loop:
	STNPQ0(0)
	STNPQ0(2)
	STNPQ0(4)
	STNPQ0(6)
	STNPQ0(8)
	STNPQ0(10)
	STNPQ0(12)
	STNPQ0(14)
	ADD  $256, R0
	SUB  $1, R3
	CBNZ R3, loop
rest:
	TAIL
	RET

// func fillInt(p unsafe.Pointer, n uintptr, pattern uint32)
TEXT ·fillInt(SB), NOSPLIT, $0-20
	MOVD p+0(FP), R0
	MOVD n+8(FP), R1
	MOVWU pattern+16(FP), R2
	LSR  $5, R1, R3
	AND  $31, R1, R1
	LSR  $2, R1, R1
	CBZ  R3, rest
loop:
	MOVW R2, 0(R0)
	MOVW R2, 4(R0)
	MOVW R2, 8(R0)
	MOVW R2, 12(R0)
	MOVW R2, 16(R0)
	MOVW R2, 20(R0)
	MOVW R2, 24(R0)
	MOVW R2, 28(R0)
	ADD  $32, R0
	SUB  $1, R3
	CBNZ R3, loop
rest:
	TAIL
	RET

// func fillWord(p unsafe.Pointer, n uintptr, pattern uint32)
TEXT ·fillWord(SB), NOSPLIT, $0-20
	MOVD p+0(FP), R0
	MOVD n+8(FP), R1
	MOVWU pattern+16(FP), R2
	LSL  $32, R2, R4
	ORR  R2, R4, R4
	LSR  $6, R1, R3
	AND  $63, R1, R1
	LSR  $2, R1, R1
	CBZ  R3, rest
loop:
	MOVD R4, 0(R0)
	MOVD R4, 8(R0)
	MOVD R4, 16(R0)
	MOVD R4, 24(R0)
	MOVD R4, 32(R0)
	MOVD R4, 40(R0)
	MOVD R4, 48(R0)
	MOVD R4, 56(R0)
	ADD  $64, R0
	SUB  $1, R3
	CBNZ R3, loop
rest:
	TAIL
	RET

// func zeroDCZVA(p unsafe.Pointer, n uintptr, pattern uint32)
TEXT ·zeroDCZVA(SB), NOSPLIT, $0-20
	MOVD p+0(FP), R0
	MOVD n+8(FP), R1
	MOVD ZR, R2
	LSR  $6, R1, R3
	AND  $63, R1, R1
	LSR  $2, R1, R1
	CBZ  R3, rest
loop:
	DC   ZVA, R0
	ADD  $64, R0
	SUB  $1, R3
	CBNZ R3, loop
rest:
	TAIL
	RET

// func dczid() uint64
TEXT ·dczid(SB), NOSPLIT, $0-8
	MRS  DCZID_EL0, R0
	MOVD R0, ret+0(FP)
	RET

// func fence()
TEXT ·fence(SB), NOSPLIT, $0-0
	DMB  $0xe // store, full system
	RET
