/* A hash table with chaining: size_t hash and lengths, keys of their own. */
#include "stage.h"

struct entry {
	struct entry *next;
	size_t hash;
	char *key;
	void *value;
	unsigned flags;
};

struct table {
	struct entry **bucket;
	size_t size, used;
};

static size_t hash(const char *s) {
	uint32_t h = 2166136261u;
	for (; *s; s++) h = (h ^ (unsigned char)*s) * 16777619u;
	return h;
}

static void grow(struct table *t) {
	size_t i, n = t->size ? t->size * 2 : 64;
	struct entry **b = must(calloc(n, sizeof *b)), *e, *next;
	for (i = 0; i < t->size; i++)
		for (e = t->bucket[i]; e; e = next) {
			next = e->next;
			e->next = b[e->hash & (n - 1)];
			b[e->hash & (n - 1)] = e;
		}
	free(t->bucket);
	t->bucket = b;
	t->size = n;
}

static void put(struct table *t, const char *key, const void *value, size_t len) {
	struct entry *e = must(malloc(sizeof *e));
	if (t->used++ >= t->size) grow(t);
	e->hash = hash(key);
	e->key = must(strdup(key));
	e->value = memcpy(must(malloc(len)), value, len);
	e->flags = len & 7;
	e->next = t->bucket[e->hash & (t->size - 1)];
	t->bucket[e->hash & (t->size - 1)] = e;
}

int main(void) {
	struct table t = {0};
	char key[64], value[64];
	int i, j;
	for (i = 0; i < 300000; i++) {
		int n = 8 + stage_random(40);
		for (j = 0; j < n; j++) value[j] = (char)stage_random(256);
		snprintf(key, sizeof key, "user:%d:profile", i);
		put(&t, key, value, n);
	}
	ready();
	return t.used == 0;
}
