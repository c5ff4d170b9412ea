// Names by number, short and long ones: unordered_map of int64_t to string.
#include <string>
#include <unordered_map>

#include "stage.h"

int main() {
	std::unordered_map<int64_t, std::string> names;
	for (int i = 0; i < 250000; i++) {
		int64_t id = (int64_t)stage_random(1u << 30) * 1000003 + i;
		std::string name = "n" + std::to_string(stage_random(100000));
		if (i % 3 == 0)
			name += " of the " + std::to_string(i) + "th family of the register";
		names.emplace(id, name);
	}
	ready();
	return names.size() == 0;
}
