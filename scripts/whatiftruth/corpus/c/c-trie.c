/* A trie of words with a pointer for each letter. */
#include "stage.h"

struct node {
	struct node *child[26];
	int count;
	char last;
};

static struct node *new_node(void) { return must(calloc(1, sizeof(struct node))); }

int main(void) {
	struct node *root = new_node();
	for (int i = 0; i < 60000; i++) {
		struct node *n = root;
		int length = 4 + stage_random(6);
		for (int k = 0; k < length; k++) {
			int letter = stage_random(k < 3 ? 26 : 5);
			if (!n->child[letter])
				n->child[letter] = new_node();
			n = n->child[letter];
			n->last = 'a' + letter;
		}
		n->count++;
	}
	ready();
	return root->count;
}
