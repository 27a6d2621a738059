// Subscriptions: which queues an event goes to.
#pragma once

#include "pg/prelude.h"
#include "queue/queue_info.h"

namespace baton::queue {

struct Route {
    std::string_view pattern; // in the memory of the routes
    uint32_t queue;
};

/// All subscriptions of the database whose queue exists, read with a fresh snapshot into the
/// current memory context, in a fixed order.
std::span<Route> read_routes();

/// The queues that a topic goes to, each once, in ascending order. `queues` has room for all
/// routes.
int route(std::string_view topic, std::span<const Route> routes, uint32_t *queues);

/// Raises 22023 unless the topic / pattern is well formed.
void check_topic(text *topic);
void check_pattern(text *pattern);

} // namespace baton::queue
