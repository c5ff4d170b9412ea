/* Records of doubles, int64_t and a name: 8-byte data that no word size changes, with a pointer or two beside it. */
#include "stage.h"

struct point {
	double x, y, z;
	int64_t when;
	char *name;
	struct point *near;
	int32_t class, hits;
};

int main(void) {
	struct point **p = must(malloc(250000 * sizeof *p));
	char text[32];
	int i;
	for (i = 0; i < 250000; i++) {
		p[i] = must(malloc(sizeof **p));
		p[i]->x = stage_random(1000000) / 997.0;
		p[i]->y = stage_random(1000000) / 991.0;
		p[i]->z = stage_random(1000000) / 983.0;
		p[i]->when = 1700000000000 + (int64_t)i * 250;
		snprintf(text, sizeof text, "P-%d", i);
		p[i]->name = must(strdup(text));
		p[i]->near = i ? p[stage_random(i)] : NULL;
		p[i]->class = i % 12;
		p[i]->hits = (int32_t)stage_random(100000);
	}
	ready();
	return 0;
}
