/* A growing array of strings, each from malloc, as a program that reads lines keeps them. */
#include "stage.h"

int main(void) {
	char **line = NULL, text[160];
	size_t n = 0, room = 0;
	int i;
	for (i = 0; i < 600000; i++) {
		int k, len = snprintf(text, sizeof text, "%d GET /item/%u", i, stage_random(100000));
		for (k = stage_random(50); k > 0; k--) text[len++] = (char)('a' + stage_random(26));
		text[len] = 0;
		if (n == room) line = must(realloc(line, (room = room ? room * 2 : 16) * sizeof *line));
		line[n++] = must(strdup(text));
	}
	ready();
	return n == 0;
}
