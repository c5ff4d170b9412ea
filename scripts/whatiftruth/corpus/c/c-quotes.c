/* Quotes by their symbol: a table of chains of records of double and char[16]. */
#include "stage.h"

struct quote {
	struct quote *next;
	char symbol[16];
	double bid, ask;
	unsigned size;
	long trades;
};

#define BUCKETS 65536

int main(void) {
	struct quote **table = must(calloc(BUCKETS, sizeof *table));
	for (int i = 0; i < 300000; i++) {
		struct quote *q = must(malloc(sizeof *q));
		memset(q, 0, sizeof *q);
		snprintf(q->symbol, sizeof q->symbol, "%c%c%u.X", 'A' + stage_random(26), 'A' + stage_random(26), stage_random(1000000));
		q->bid = 10 + stage_random(100000) / 100.0;
		q->ask = q->bid + 0.05;
		q->size = stage_random(1000) * 100;
		q->trades = stage_random(50);
		unsigned h = 2166136261u;
		for (const char *p = q->symbol; *p; p++)
			h = (h ^ (unsigned char)*p) * 16777619u;
		q->next = table[h % BUCKETS];
		table[h % BUCKETS] = q;
	}
	ready();
	return table[0] != NULL;
}
