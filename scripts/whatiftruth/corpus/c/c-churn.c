/* Blocks of mixed sizes, allocated and freed in a fixed disorder: what stays is a heap with holes. Half of the blocks
   hold text, a quarter pointers to other blocks, a quarter sizes and counters. */
#include "stage.h"

#define SLOTS 120000

struct block {
	size_t len;
	void *at;
	char kind;
};

static struct block slot[SLOTS];

static void fill(struct block *b) {
	size_t i;
	if (b->kind < 2) {
		for (i = 0; i < b->len; i++) ((char *)b->at)[i] = (char)(' ' + stage_random(90));
	} else if (b->kind == 2) {
		b->len = b->len / 8 * sizeof(void *);
		b->at = must(realloc(b->at, b->len));
		for (i = 0; i < b->len / sizeof(void *); i++) ((void **)b->at)[i] = slot[stage_random(SLOTS)].at;
	} else {
		b->len = b->len / 8 * sizeof(size_t);
		b->at = must(realloc(b->at, b->len));
		for (i = 0; i < b->len / sizeof(size_t); i++) ((size_t *)b->at)[i] = stage_random(1 << 20);
	}
}

int main(void) {
	int i;
	for (i = 0; i < 1500000; i++) {
		struct block *b = &slot[stage_random(SLOTS)];
		if (b->at) {
			free(b->at);
			b->at = NULL;
			continue;
		}
		b->kind = (char)(stage_random(4));
		b->len = 16 + stage_random(stage_random(20) ? 240 : 4000);
		b->at = must(malloc(b->len));
		fill(b);
	}
	ready();
	return 0;
}
