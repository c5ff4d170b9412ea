// The loops of the x86 kernels that read, shared by stream_amd64.s and
// stream_386.s, which define the PTR macros before.
//
// In:  DI = the array that is written (or summed), SI and BX = the arrays
// that are read, CX = bytes of each: a multiple of 256 above 0. The scalar,
// or the addend, is in register 7. Only registers that exist on 386 are used.
//
// An iteration takes four vectors of each array, whatever their width. Every
// macro is used once in a function: its labels are local to that.

// One iteration is BODY(STORE, S, R0, R1, R2, R3) over 1<<SHIFT bytes.
#define STREAM_LOOP(SHIFT, BODY, STORE, S, R0, R1, R2, R3) \
	SHRPTR $SHIFT, CX  \
	MOVPTR CX, DX      \
	PCALIGN $32        \
loop:                  \
	BODY(STORE, S, R0, R1, R2, R3) \
	ADDPTR $(1<<SHIFT), DI \
	ADDPTR $(1<<SHIFT), SI \
	ADDPTR $(1<<SHIFT), BX \
	DECPTR DX          \
	JNZ   loop

// The same for kernels of one array.
#define SINGLE_LOOP(SHIFT, BODY, STORE, S, R0, R1, R2, R3) \
	SHRPTR $SHIFT, CX  \
	MOVPTR CX, DX      \
	PCALIGN $32        \
loop:                  \
	BODY(STORE, S, R0, R1, R2, R3) \
	ADDPTR $(1<<SHIFT), DI \
	DECPTR DX          \
	JNZ   loop

#define STORE4_16(STORE, R0, R1, R2, R3) \
	STORE R0, 0(DI)    \
	STORE R1, 16(DI)   \
	STORE R2, 32(DI)   \
	STORE R3, 48(DI)

#define STORE4_32(STORE, R0, R1, R2, R3) \
	STORE R0, 0(DI)    \
	STORE R1, 32(DI)   \
	STORE R2, 64(DI)   \
	STORE R3, 96(DI)

#define STORE4_64(STORE, R0, R1, R2, R3) \
	STORE R0, 0(DI)    \
	STORE R1, 64(DI)   \
	STORE R2, 128(DI)  \
	STORE R3, 192(DI)

#define LOAD4_16(P, R0, R1, R2, R3) \
	MOVAPD 0(P), R0    \
	MOVAPD 16(P), R1   \
	MOVAPD 32(P), R2   \
	MOVAPD 48(P), R3

#define LOAD4_32(P, R0, R1, R2, R3) \
	VMOVAPD 0(P), R0   \
	VMOVAPD 32(P), R1  \
	VMOVAPD 64(P), R2  \
	VMOVAPD 96(P), R3

#define LOAD4_64(P, R0, R1, R2, R3) \
	VMOVAPD 0(P), R0   \
	VMOVAPD 64(P), R1  \
	VMOVAPD 128(P), R2 \
	VMOVAPD 192(P), R3

// R = R op memory, in the two-operand form of SSE2.
#define FOLD4_16(OP, P, R0, R1, R2, R3) \
	OP    0(P), R0     \
	OP    16(P), R1    \
	OP    32(P), R2    \
	OP    48(P), R3

#define FOLD4_32(OP, P, R0, R1, R2, R3) \
	OP    0(P), R0, R0   \
	OP    32(P), R1, R1  \
	OP    64(P), R2, R2  \
	OP    96(P), R3, R3

#define FOLD4_64(OP, P, R0, R1, R2, R3) \
	OP    0(P), R0, R0   \
	OP    64(P), R1, R1  \
	OP    128(P), R2, R2 \
	OP    192(P), R3, R3

// R = memory op S.
#define WITH4_32(OP, P, S, R0, R1, R2, R3) \
	OP    0(P), S, R0    \
	OP    32(P), S, R1   \
	OP    64(P), S, R2   \
	OP    96(P), S, R3

#define WITH4_64(OP, P, S, R0, R1, R2, R3) \
	OP    0(P), S, R0    \
	OP    64(P), S, R1   \
	OP    128(P), S, R2  \
	OP    192(P), S, R3

// R = R op S, SSE2.
#define EACH4(OP, S, R0, R1, R2, R3) \
	OP    S, R0        \
	OP    S, R1        \
	OP    S, R2        \
	OP    S, R3

// a = b
#define COPY_16(STORE, S, R0, R1, R2, R3) \
	LOAD4_16(SI, R0, R1, R2, R3)     \
	STORE4_16(STORE, R0, R1, R2, R3)
#define COPY_32(STORE, S, R0, R1, R2, R3) \
	LOAD4_32(SI, R0, R1, R2, R3)     \
	STORE4_32(STORE, R0, R1, R2, R3)
#define COPY_64(STORE, S, R0, R1, R2, R3) \
	LOAD4_64(SI, R0, R1, R2, R3)     \
	STORE4_64(STORE, R0, R1, R2, R3)

// a = s*b
#define SCALE_16(STORE, S, R0, R1, R2, R3) \
	LOAD4_16(SI, R0, R1, R2, R3)     \
	EACH4(MULPD, S, R0, R1, R2, R3)  \
	STORE4_16(STORE, R0, R1, R2, R3)
#define SCALE_32(STORE, S, R0, R1, R2, R3) \
	WITH4_32(VMULPD, SI, S, R0, R1, R2, R3) \
	STORE4_32(STORE, R0, R1, R2, R3)
#define SCALE_64(STORE, S, R0, R1, R2, R3) \
	WITH4_64(VMULPD, SI, S, R0, R1, R2, R3) \
	STORE4_64(STORE, R0, R1, R2, R3)

// a = b + c
#define ADD_16(STORE, S, R0, R1, R2, R3) \
	LOAD4_16(SI, R0, R1, R2, R3)     \
	FOLD4_16(ADDPD, BX, R0, R1, R2, R3) \
	STORE4_16(STORE, R0, R1, R2, R3)
#define ADD_32(STORE, S, R0, R1, R2, R3) \
	LOAD4_32(SI, R0, R1, R2, R3)     \
	FOLD4_32(VADDPD, BX, R0, R1, R2, R3) \
	STORE4_32(STORE, R0, R1, R2, R3)
#define ADD_64(STORE, S, R0, R1, R2, R3) \
	LOAD4_64(SI, R0, R1, R2, R3)     \
	FOLD4_64(VADDPD, BX, R0, R1, R2, R3) \
	STORE4_64(STORE, R0, R1, R2, R3)

// a = b + s*c; not fused, so that every tier rounds alike.
#define TRIAD_16(STORE, S, R0, R1, R2, R3) \
	LOAD4_16(BX, R0, R1, R2, R3)     \
	EACH4(MULPD, S, R0, R1, R2, R3)  \
	FOLD4_16(ADDPD, SI, R0, R1, R2, R3) \
	STORE4_16(STORE, R0, R1, R2, R3)
#define TRIAD_32(STORE, S, R0, R1, R2, R3) \
	WITH4_32(VMULPD, BX, S, R0, R1, R2, R3) \
	FOLD4_32(VADDPD, SI, R0, R1, R2, R3) \
	STORE4_32(STORE, R0, R1, R2, R3)
#define TRIAD_64(STORE, S, R0, R1, R2, R3) \
	WITH4_64(VMULPD, BX, S, R0, R1, R2, R3) \
	FOLD4_64(VADDPD, SI, R0, R1, R2, R3) \
	STORE4_64(STORE, R0, R1, R2, R3)

// a += pattern, in 32-bit words
#define RMW_16(STORE, S, R0, R1, R2, R3) \
	LOAD4_16(DI, R0, R1, R2, R3)     \
	EACH4(PADDL, S, R0, R1, R2, R3)  \
	STORE4_16(STORE, R0, R1, R2, R3)
#define RMW_32(STORE, S, R0, R1, R2, R3) \
	WITH4_32(VPADDD, DI, S, R0, R1, R2, R3) \
	STORE4_32(STORE, R0, R1, R2, R3)
#define RMW_64(STORE, S, R0, R1, R2, R3) \
	WITH4_64(VPADDD, DI, S, R0, R1, R2, R3) \
	STORE4_64(STORE, R0, R1, R2, R3)

// Sum of 64-bit words, in four vectors of sums.
#define SUM_16(STORE, S, R0, R1, R2, R3) FOLD4_16(PADDQ, DI, R0, R1, R2, R3)
#define SUM_32(STORE, S, R0, R1, R2, R3) FOLD4_32(VPADDQ, DI, R0, R1, R2, R3)
#define SUM_64(STORE, S, R0, R1, R2, R3) FOLD4_64(VPADDQ, DI, R0, R1, R2, R3)

#define ZERO4_X \
	PXOR  X0, X0       \
	PXOR  X1, X1       \
	PXOR  X2, X2       \
	PXOR  X3, X3

#define ZERO4_V \
	VPXOR X0, X0, X0   \
	VPXOR X1, X1, X1   \
	VPXOR X2, X2, X2   \
	VPXOR X3, X3, X3

// The four vectors' sums into the lower half of X0.
#define REDUCE_16 \
	PADDQ X1, X0       \
	PADDQ X3, X2       \
	PADDQ X2, X0       \
	PSHUFL $0xee, X0, X1 \
	PADDQ X1, X0

#define REDUCE_32 \
	VPADDQ Y1, Y0, Y0  \
	VPADDQ Y3, Y2, Y2  \
	VPADDQ Y2, Y0, Y0  \
	VEXTRACTI128 $1, Y0, X1 \
	VPADDQ X1, X0, X0  \
	VPSHUFD $0xee, X0, X1 \
	VPADDQ X1, X0, X0  \
	VZEROUPPER

#define REDUCE_64 \
	VPADDQ Z1, Z0, Z0  \
	VPADDQ Z3, Z2, Z2  \
	VPADDQ Z2, Z0, Z0  \
	VEXTRACTI64X4 $1, Z0, Y1 \
	VPADDQ Y1, Y0, Y0  \
	VEXTRACTI128 $1, Y0, X1 \
	VPADDQ X1, X0, X0  \
	VPSHUFD $0xee, X0, X1 \
	VPADDQ X1, X0, X0  \
	VZEROUPPER
