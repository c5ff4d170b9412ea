/* chase BYTES 4k|thp SECONDS: what a compiled loop of dependent loads reaches,
 * as a floor for memtest latency. One pointer in each 64 bytes, a random
 * permutation with a single cycle; prints the nanoseconds a load of the median
 * pass of 4096. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { LINE = 64, HOPS = 4096, HUGE_PAGE = 2 << 20, MOST = 1 << 20 };

static uint64_t state = 88172645463325252u;

/* Marsaglia's xorshift (Journal of Statistical Software 8, 2003). */
static uint64_t draw(uint64_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % below;
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	size_t bytes = strtoull(argv[1], NULL, 10), lines = bytes / LINE;
	int huge = strcmp(argv[2], "thp") == 0;
	double limit = atof(argv[3]) * 1e9;
	char *p = mmap(NULL, bytes + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint32_t *order = malloc(lines * sizeof *order);
	double *passes = malloc(MOST * sizeof *passes);
	if (p == MAP_FAILED || !order || !passes || lines < 2)
		return 1;
	p += -(uintptr_t)p % HUGE_PAGE;
	madvise(p, bytes, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
	for (size_t i = 0; i < lines; i++)
		order[i] = i;
	for (size_t i = lines - 1; i > 0; i--) {
		size_t j = draw(i);
		uint32_t t = order[i];
		order[i] = order[j];
		order[j] = t;
	}
	for (size_t i = 0; i < lines; i++)
		*(char **)(p + i * LINE) = p + (size_t)order[i] * LINE;
	free(order);
	char **at = (char **)p;
	for (size_t i = 0; i < lines && i < MOST; i++)
		at = (char **)*at;
	int n = 0;
	for (double begin = now(), last = begin; n < MOST && last - begin < limit; n++) {
		for (int i = 0; i < HOPS; i += 16) {
#define HOP at = (char **)*at;
			HOP HOP HOP HOP HOP HOP HOP HOP HOP HOP HOP HOP HOP HOP HOP HOP
		}
		double t = now();
		passes[n] = (t - last) / HOPS;
		last = t;
	}
	qsort(passes, n, sizeof *passes, compare);
	printf("%.4f\n", passes[n / 2]);
	return at == NULL; /* never, but the loop must stay */
}
