// Who may publish which topics and subscribe to which: baton._topic_grant, cached per backend.
#pragma once

#include "pg/prelude.h"

namespace baton::queue {

enum class TopicRight : uint8_t { kPublish, kSubscribe };

/// The right of that name; 22023 naming both.
TopicRight topic_right_named(text *name);

/// Whether the current role may publish the topic, or subscribe to the pattern (or see events of
/// the topic, which is a pattern too). Administrators may all.
bool has_topic_right(TopicRight right, std::string_view topic);

/// Raises 42501 naming the topic or pattern.
void require_topic(TopicRight right, std::string_view topic);

/// Raises 42501 unless the current role may publish anything at all.
void require_publisher();

} // namespace baton::queue
