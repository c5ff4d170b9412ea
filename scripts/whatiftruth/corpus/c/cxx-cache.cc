// std::unordered_map from uint64_t to std::shared_ptr of a class with virtual functions.
#include <memory>
#include <string>
#include <unordered_map>
extern "C" {
#include "stage.h"
}

struct Shape {
	virtual ~Shape() = default;
	virtual double area() const = 0;
	std::string name;
	int layer = 0;
};

struct Circle : Shape {
	double r = 0;
	double area() const override { return 3 * r * r; }
};

struct Box : Shape {
	float w = 0, h = 0;
	std::shared_ptr<Shape> inside;
	double area() const override { return w * h; }
};

int main() {
	std::unordered_map<uint64_t, std::shared_ptr<Shape>> all;
	std::shared_ptr<Shape> last;
	for (int i = 0; i < 250000; i++) {
		std::shared_ptr<Shape> s;
		if (i % 3) {
			auto b = std::make_shared<Box>();
			b->w = (float)stage_random(100);
			b->inside = last;
			s = b;
			last = i % 30 == 1 ? nullptr : s;
		} else {
			auto c = std::make_shared<Circle>();
			c->r = stage_random(1000) / 7.0;
			s = c;
		}
		s->name = i % 5 ? "s" + std::to_string(i) : "a shape with a longer name, " + std::to_string(i);
		s->layer = i % 40;
		all[((uint64_t)stage_random(1u << 30) << 30) | (unsigned)i] = s;
	}
	ready();
	return all.empty();
}
