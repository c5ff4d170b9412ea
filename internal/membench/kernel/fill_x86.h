// The loops of the x86 kernels, shared by fill_amd64.s and fill_386.s.
//
// In:  DI = p, CX = n in bytes, AX = 32-bit pattern. PTR macros are the
// pointer-sized instructions of the including file. Only registers that
// exist on 386 are used.
//
// Ordinary stores go one cache line (64 bytes) an iteration, stores that
// bypass the cache 256 bytes: on the Zen 5 machine where this was measured,
// unrolling to 256 bytes cost 3 to 4 % with AVX-512 and SSE2 stores and won 4 %
// with non-temporal SSE2 stores and 16 % with CLZERO.
//
// Every macro is used once in a function: its labels are local to that.

// Splits CX into DX iterations of 1<<SHIFT bytes and CX words that remain.
#define SPLIT(SHIFT) \
	MOVPTR CX, DX               \
	SHRPTR $SHIFT, DX           \
	ANDL   $((1<<SHIFT)-1), CX  \
	SHRL   $2, CX

// The last words.
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

#define LINE16(STORE, R) \
	STORE R, 0(DI)     \
	STORE R, 16(DI)    \
	STORE R, 32(DI)    \
	STORE R, 48(DI)

#define LINE32(STORE, R) \
	STORE R, 0(DI)     \
	STORE R, 32(DI)

#define LINE64(STORE, R) \
	STORE R, 0(DI)

#define BLOCK16(STORE, R) \
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

#define BLOCK32(STORE, R) \
	STORE R, 0(DI)     \
	STORE R, 32(DI)    \
	STORE R, 64(DI)    \
	STORE R, 96(DI)    \
	STORE R, 128(DI)   \
	STORE R, 160(DI)   \
	STORE R, 192(DI)   \
	STORE R, 224(DI)

#define BLOCK64(STORE, R) \
	STORE R, 0(DI)     \
	STORE R, 64(DI)    \
	STORE R, 128(DI)   \
	STORE R, 192(DI)

// Vector fill: BODY is one of the six above and stores 1<<SHIFT bytes, REST
// stores the last words.
#define VECTOR_FILL(SHIFT, BODY, STORE, R, REST) \
	SPLIT(SHIFT)       \
	TESTPTR DX, DX     \
	JZ    tail         \
	PCALIGN $32        \
loop:                  \
	BODY(STORE, R)     \
	ADDPTR $(1<<SHIFT), DI \
	DECPTR DX          \
	JNZ   loop         \
	TAIL(REST)

// One 32-bit store an instruction.
#define INT_FILL(STORE) \
	SPLIT(6)           \
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
// ordered.
#define CLZERO BYTE $0x0f; BYTE $0x01; BYTE $0xfc

#define CLZERO_FILL \
	MOVPTR DI, AX      \
	SPLIT(8)           \
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
