/* A linked list of small nodes with long fields. */
#include "stage.h"

struct node {
	struct node *next, *prev;
	long a, b, c;
	unsigned long size;
};

int main(void) {
	struct node *head = NULL;
	long i;
	for (i = 0; i < 700000; i++) {
		struct node *n = must(malloc(sizeof *n));
		n->next = head;
		n->prev = NULL;
		if (head) head->prev = n;
		n->a = i;
		n->b = -i * 3;
		n->c = (long)stage_random(1000000);
		n->size = stage_random(4096);
		head = n;
	}
	ready();
	return head == NULL;
}
