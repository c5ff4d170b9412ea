/* Fills memory by malloc with one kind of data, prints "ready" and waits for
 * the end of its input. Of the calibration set of rsswatch whatif, as is
 * ../shapes. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node { struct node *next; long value; };
struct entry { struct entry *next; char *key; void *value; unsigned hash; int refs; };
struct point { double x, y, z; int id; struct point *near; };

struct node *nodes; /* kept where the compiler cannot know better */
struct point *kept;

static void list(void) {
	for (long i = 0; i < 1000000; i++) {
		struct node *n = malloc(sizeof *n);
		n->next = nodes, n->value = i, nodes = n;
	}
}

static void hash(void) {
	size_t size = 1 << 19;
	struct entry **table = calloc(size, sizeof *table);
	for (unsigned i = 0; i < 400000; i++) {
		char text[64];
		sprintf(text, "user:%u:session", i * 7);
		struct entry *e = malloc(sizeof *e);
		e->key = strdup(text), e->value = malloc(20 + i % 50), e->hash = i * 2654435761u, e->refs = 1;
		memset(e->value, 'a' + i % 26, 20 + i % 50);
		e->next = table[e->hash % size], table[e->hash % size] = e;
	}
}

static void points(void) {
	for (int i = 0; i < 600000; i++) {
		struct point *p = malloc(sizeof *p);
		p->x = i * 0.1, p->y = i * 0.7, p->z = 1.0 / (i + 1), p->id = i, p->near = kept, kept = p;
	}
}

static void mixed(void) {
	/* allocations and frees of all sizes, as of a server that has run for long */
	static void *slot[200000];
	unsigned seed = 1;
	for (int i = 0; i < 1500000; i++) {
		seed = seed * 1103515245 + 12345;
		unsigned k = (seed >> 8) % 200000, kind = seed >> 28;
		free(slot[k]);
		if (kind < 8) {
			struct entry *e = malloc(sizeof *e);
			e->next = slot[(k + 1) % 200000], e->key = slot[(k + 2) % 200000], e->value = e, e->hash = seed, e->refs = i & 7;
			slot[k] = e;
		} else if (kind < 14) {
			size_t n = 8 + seed % 120;
			char *s = malloc(n + 1);
			memset(s, 'x', n), s[n] = 0;
			slot[k] = s;
		} else {
			size_t n = 16 + seed % 64;
			void **v = calloc(n, sizeof *v);
			for (size_t j = 0; j < n / 2; j++)
				v[j] = slot[j * 31];
			slot[k] = v;
		}
	}
}

int main(int argc, char **argv) {
	const char *kind = argc == 2 ? argv[1] : "";
	if (!strcmp(kind, "list")) list();
	else if (!strcmp(kind, "hash")) hash();
	else if (!strcmp(kind, "points")) points();
	else if (!strcmp(kind, "mixed")) mixed();
	else return fprintf(stderr, "usage: malloc list|hash|points|mixed\n"), 2;
	puts("ready");
	fflush(stdout);
	while (getchar() != EOF)
		;
	return 0;
}
