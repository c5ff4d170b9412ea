/* A red-black tree (left-leaning insertion) with long keys and small values. */
#include "stage.h"

struct node {
	struct node *left, *right;
	unsigned long key;
	int value;
	unsigned char red;
};

static int red(const struct node *n) { return n && n->red; }

static struct node *rotate_left(struct node *h) {
	struct node *x = h->right;
	h->right = x->left;
	x->left = h;
	x->red = h->red;
	h->red = 1;
	return x;
}

static struct node *rotate_right(struct node *h) {
	struct node *x = h->left;
	h->left = x->right;
	x->right = h;
	x->red = h->red;
	h->red = 1;
	return x;
}

static struct node *insert(struct node *h, unsigned long key, int value) {
	if (!h) {
		h = must(calloc(1, sizeof *h));
		h->key = key;
		h->value = value;
		h->red = 1;
		return h;
	}
	if (key < h->key)
		h->left = insert(h->left, key, value);
	else if (key > h->key)
		h->right = insert(h->right, key, value);
	else
		h->value = value;
	if (red(h->right) && !red(h->left)) h = rotate_left(h);
	if (red(h->left) && red(h->left->left)) h = rotate_right(h);
	if (red(h->left) && red(h->right)) {
		h->red = 1;
		h->left->red = h->right->red = 0;
	}
	return h;
}

int main(void) {
	struct node *root = NULL;
	int i;
	for (i = 0; i < 600000; i++) {
		root = insert(root, stage_random(2000000000u), i);
		root->red = 0;
	}
	ready();
	return root == NULL;
}
