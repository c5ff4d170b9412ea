// The loops of the x86 kernels, shared by fill_amd64.s and fill_386.s.
//
// In:  DI = p, CX = n in bytes, AX = 32-bit pattern. PTR macros are the
// pointer-sized instructions of the including file. Only registers that
// exist on 386 are used. 256 bytes an iteration, except where noted.
//
// Every macro is used once in a function: its labels are local to that.

// Splits CX into DX iterations of 256 bytes and CX words that remain.
#define SPLIT256 \
	MOVPTR CX, DX      \
	SHRPTR $8, DX      \
	ANDL   $255, CX    \
	SHRL   $2, CX

// The last 0 to 63 words.
#define TAIL(STORE) \
tail:                  \
	TESTL CX, CX       \
	JZ    done         \
tailword:              \
	STORE AX, (DI)     \
	ADDPTR $4, DI      \
	DECL  CX           \
	JNZ   tailword     \
done:

#define BROADCAST_X0 \
	MOVL   AX, X0      \
	PSHUFL $0, X0, X0

#define STORES16(STORE, R) \
	STORE R, 0(DI)     \
	STORE R, 16(DI)    \
	STORE R, 32(DI)    \
	STORE R, 48(DI)    \
	STORE R, 64(DI)    \
	STORE R, 80(DI)    \
	STORE R, 96(DI)    \
	STORE R, 112(DI)   \
	STORE R, 128(DI)   \
	STORE R, 144(DI)   \
	STORE R, 160(DI)   \
	STORE R, 176(DI)   \
	STORE R, 192(DI)   \
	STORE R, 208(DI)   \
	STORE R, 224(DI)   \
	STORE R, 240(DI)

#define STORES32(STORE, R) \
	STORE R, 0(DI)     \
	STORE R, 32(DI)    \
	STORE R, 64(DI)    \
	STORE R, 96(DI)    \
	STORE R, 128(DI)   \
	STORE R, 160(DI)   \
	STORE R, 192(DI)   \
	STORE R, 224(DI)

#define STORES64(STORE, R) \
	STORE R, 0(DI)     \
	STORE R, 64(DI)    \
	STORE R, 128(DI)   \
	STORE R, 192(DI)

// Vector fill: STORES is one of the three above, REST stores the last words.
#define VECTOR_FILL(STORES, STORE, R, REST) \
	SPLIT256           \
	TESTPTR DX, DX     \
	JZ    tail         \
	PCALIGN $32        \
loop:                  \
	STORES(STORE, R)   \
	ADDPTR $256, DI    \
	DECPTR DX          \
	JNZ   loop         \
	TAIL(REST)

// One 32-bit store an instruction, 64 bytes an iteration.
#define INT_FILL(STORE) \
	MOVPTR CX, DX      \
	SHRPTR $6, DX      \
	ANDL   $63, CX     \
	SHRL   $2, CX      \
	TESTPTR DX, DX     \
	JZ    tail         \
	PCALIGN $32        \
loop:                  \
	STORE AX, 0(DI)    \
	STORE AX, 4(DI)    \
	STORE AX, 8(DI)    \
	STORE AX, 12(DI)   \
	STORE AX, 16(DI)   \
	STORE AX, 20(DI)   \
	STORE AX, 24(DI)   \
	STORE AX, 28(DI)   \
	STORE AX, 32(DI)   \
	STORE AX, 36(DI)   \
	STORE AX, 40(DI)   \
	STORE AX, 44(DI)   \
	STORE AX, 48(DI)   \
	STORE AX, 52(DI)   \
	STORE AX, 56(DI)   \
	STORE AX, 60(DI)   \
	ADDPTR $64, DI     \
	DECPTR DX          \
	JNZ   loop         \
	TAIL(STORE)

// CLZERO zeroes the 64-byte line that AX points into (AMD64 Architecture
// Programmer's Manual, volume 3). Like a non-temporal store it is weakly
// ordered. 256 bytes an iteration.
#define CLZERO BYTE $0x0f; BYTE $0x01; BYTE $0xfc

#define CLZERO_FILL \
	MOVPTR DI, AX      \
	SPLIT256           \
	TESTPTR DX, DX     \
	JZ    rest         \
	PCALIGN $32        \
loop:                  \
	CLZERO             \
	ADDPTR $64, AX     \
	CLZERO             \
	ADDPTR $64, AX     \
	CLZERO             \
	ADDPTR $64, AX     \
	CLZERO             \
	ADDPTR $64, AX     \
	DECPTR DX          \
	JNZ   loop         \
rest:                  \
	MOVPTR AX, DI      \
	XORL  AX, AX       \
	TAIL(MOVL)
