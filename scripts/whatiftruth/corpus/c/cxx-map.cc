// std::map from std::string to a std::vector of structs: what many C++ services are made of.
#include <map>
#include <string>
#include <vector>
extern "C" {
#include "stage.h"
}

struct Event {
	int64_t when;
	std::string what;
	int count;
};

int main() {
	std::map<std::string, std::vector<Event>> events;
	for (int i = 0; i < 250000; i++) {
		std::string who = "account-" + std::to_string(stage_random(60000));
		std::string what = stage_random(3) ? "login" : "transfer of " + std::to_string(stage_random(100000)) + " cents";
		events[who].push_back(Event{1700000000LL + i, what, i % 10});
	}
	ready();
	return events.empty();
}
