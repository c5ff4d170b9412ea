/* How a program of the corpus says that it has reached its stage. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void *must(void *p) {
	if (!p) {
		fputs("out of memory\n", stderr);
		exit(1);
	}
	return p;
}

/* A fixed sequence, the same for every word size. */
static uint64_t stage_state = 88172645463325252u;

static inline uint32_t stage_random(uint32_t below) {
	stage_state ^= stage_state << 13;
	stage_state ^= stage_state >> 7;
	stage_state ^= stage_state << 17;
	return (uint32_t)(stage_state >> 32) % below;
}

/* Prints READY and waits for the end of standard input. */
static inline void ready(void) {
	int c;
	puts("READY");
	fflush(stdout);
	while ((c = getchar()) != EOF) {
	}
}
