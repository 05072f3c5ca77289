// SPDX-License-Identifier: Apache-2.0
// Messages that wait: steering, follow-ups, and messages of extensions.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "simulator/invariants/domains.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

/// A message that the host queued, and the event by which it joined the conversation, or null.
struct Queued {
  const Event* step = nullptr;
  std::string mode;
  std::string text;
  const Event* delivered = nullptr;
};

bool came_before(const Event* event, std::int64_t seq) {
  return event != nullptr && event->seq < seq;
}

/// Pairs the host's steps with the user messages that follow them.
class QueueChecker : public Checker {
 public:
  static std::vector<std::string_view> kinds() {
    return {"message_end", "turn_end", "provider_response"};
  }

  void see(const Event& event, const Story&, Report&) override {
    if (event.as<TurnEnd>() != nullptr) turn_ends_.push_back(event.seq);
    if (event.as<ProviderResponse>() != nullptr) responses_.push_back(&event);
    const auto* message = event.as<MessageEnd>();
    if (message != nullptr && message->role == kUserRole) messages_.push_back(&event);
  }

 protected:
  std::vector<Queued> queued(const Story& story) const {
    std::vector<Queued> list;
    std::set<const Event*> used;
    for (const Event* event : story.steps) {
      const auto* step = event->as<Step>();
      if (step->step != "steer" && step->step != "follow_up") continue;
      Queued one{event, step->step, text_at(step->data.get(), "text"), nullptr};
      for (const Event* message : messages_) {
        const bool fits = message->seq > event->seq && text_of(*message) == one.text;
        if (!fits || !used.insert(message).second) continue;
        one.delivered = message;
        break;
      }
      list.push_back(std::move(one));
    }
    return list;
  }

  static std::string text_of(const Event& message) {
    return text_in(at(message.as<MessageEnd>()->message.get(), "content"));
  }
  /// The batch that was under way at `seq`, or null.
  static const Batch* batch_at(std::int64_t seq, const Story& story) {
    for (const auto& batch : story.batches) {
      const bool has_begun = is_normal(batch) && batch.response->seq < seq;
      if (has_begun && batch.turn_end != nullptr && batch.turn_end->seq > seq) return &batch;
    }
    return nullptr;
  }
  /// The run that was open at `seq`, or null.
  static const Run* run_at(std::int64_t seq, const Story& story) {
    for (const auto& run : story.runs) {
      if (run.start->seq < seq && (run.end == nullptr || run.end->seq > seq)) return &run;
    }
    return nullptr;
  }
  static bool is_aborted(const Run& run, const Story& story) {
    const auto end = run.end == nullptr ? story.last_seq + 1 : run.end->seq;
    return story.abort_between(run.start->seq, end) >= 0;
  }
  static std::int64_t first_request_after(std::int64_t seq, const Story& story) {
    for (const auto& request : story.requests) {
      if (request.event->seq > seq) return request.event->seq;
    }
    return story.last_seq + 1;
  }
  std::int64_t last_turn_end_before(std::int64_t seq) const {
    const auto after = std::ranges::lower_bound(turn_ends_, seq);
    return after == turn_ends_.begin() ? -1 : *std::prev(after);
  }

  std::vector<const Event*> messages_;
  std::vector<const Event*> responses_;
  std::vector<std::int64_t> turn_ends_;
};

/// EVENT-31: after the batch and turn_end, before the next request; no call is skipped.
class SteeringChecker final : public QueueChecker {
 public:
  void finish(const Story& story, Report& report) override {
    for (const auto& one : queued(story)) {
      const Batch* batch = batch_at(one.step->seq, story);
      if (one.mode != "steer" || batch == nullptr) continue;
      if (story.abort_between(batch->response->seq, story.last_seq) >= 0) continue;
      report.trigger();
      report.complain(judge(one, *batch, story));
      for (const auto* call : calls_of(*batch, story)) {
        report.complain(require(end_of(*call) != nullptr && cause_of(*call) != "aborted",
                                "steering skipped call " + call->id, one.step));
      }
    }
  }

 private:
  static Complaint judge(const Queued& one, const Batch& batch, const Story& story) {
    if (one.delivered == nullptr) return finding("a steering message is lost", one.step);
    if (one.delivered->seq < batch.turn_end->seq) {
      return finding("steering joins the conversation before its turn has ended", one.delivered);
    }
    const auto request = first_request_after(batch.turn_end->seq, story);
    const auto limit = is_all(story) || is_first(one, batch, story) ? request : story.last_seq + 1;
    return require(one.delivered->seq < limit, "steering comes after the next request",
                   one.delivered);
  }
  static bool is_all(const Story& story) {
    return view_at(at(story.host(), "settings"), "steering") == "all";
  }
  /// One message at a time: only the first that waits is due at the next turn.
  static bool is_first(const Queued& one, const Batch& batch, const Story& story) {
    return std::ranges::none_of(story.steps, [&](const Event* event) {
      return event->as<Step>()->step == "steer" && event->seq < one.step->seq &&
             event->seq > batch.response->seq;
    });
  }
};

/// EVENT-32: only when the run would otherwise stop, and in the same run.
class FollowUpChecker final : public QueueChecker {
 public:
  void finish(const Story& story, Report& report) override {
    const auto list = queued(story);
    for (const auto& one : list) {
      const Run* run = run_at(one.step->seq, story);
      if (one.mode != "follow_up" || run == nullptr || is_aborted(*run, story)) continue;
      report.trigger();
      report.complain(judge(one, *run, list, story));
    }
  }

 private:
  Complaint judge(const Queued& one, const Run& run, const std::vector<Queued>& list,
                  const Story& story) const {
    if (one.delivered == nullptr) return finding("a follow-up is lost", one.step);
    if (run.end != nullptr && one.delivered->seq > run.end->seq) {
      return finding("a follow-up waits for another run", one.delivered);
    }
    const auto turn_end = last_turn_end_before(one.delivered->seq);
    for (const auto& other : list) {
      const bool waits = other.mode == "steer" && other.step->seq < turn_end &&
                         !came_before(other.delivered, one.delivered->seq);
      if (waits) return finding("a follow-up comes before steering that waits", one.delivered);
    }
    for (const auto& batch : story.batches) {
      if (batch.turn_end == nullptr || batch.turn_end->seq != turn_end) continue;
      const bool would_stop = std::ranges::all_of(calls_of(batch, story), [](const Call* call) {
        return at(result_of(*call), "terminate") == true;
      });
      if (!would_stop) {
        return finding("a follow-up comes while results wait for an answer", one.delivered);
      }
    }
    return std::nullopt;
  }
};

/// EVENT-33: one message a drain point, or all; in their order.
class QueueModeChecker final : public QueueChecker {
 public:
  void finish(const Story& story, Report& report) override {
    const auto list = queued(story);
    for (const char* mode : {"steer", "follow_up"}) judge(list, mode, story, report);
  }

 private:
  static void judge(const std::vector<Queued>& list, std::string_view mode, const Story& story,
                    Report& report) {
    const bool takes_all =
        view_at(at(story.host(), "settings"), mode == "steer" ? "steering" : "follow_up") == "all";
    const Queued* earlier = nullptr;
    for (const auto& one : list) {
      if (one.mode != mode || one.delivered == nullptr) continue;
      if (earlier != nullptr && one.step->seq < earlier->delivered->seq) {
        report.trigger();
        report.complain(pair(*earlier, one, takes_all, story));
      }
      earlier = &one;
    }
  }
  /// Two messages that waited together.
  static Complaint pair(const Queued& first, const Queued& second, bool takes_all,
                        const Story& story) {
    if (second.delivered->seq < first.delivered->seq) {
      return finding("queued messages change their order", second.delivered);
    }
    const bool together = first_request_after(first.delivered->seq, story) ==
                          first_request_after(second.delivered->seq, story);
    return require(together == takes_all,
                   takes_all ? "queued messages are delivered one by one"
                             : "one drain point delivers more than one message",
                   second.delivered);
  }
};

/// EVENT-34: what waited when the run began follows the prompt, before the first request.
class EarlySteeringChecker final : public QueueChecker {
 public:
  void finish(const Story& story, Report& report) override {
    for (const auto& one : queued(story)) {
      if (one.mode != "steer" || run_at(one.step->seq, story) != nullptr) continue;
      const auto run = std::ranges::find_if(
          story.runs, [&](const Run& later) { return later.start->seq > one.step->seq; });
      if (run == story.runs.end()) continue;
      report.trigger();
      report.complain(judge(one, *run, story));
    }
  }

 private:
  Complaint judge(const Queued& one, const Run& run, const Story& story) const {
    if (one.delivered == nullptr) return finding("steering that waited is lost", one.step);
    const auto prompt = std::ranges::find_if(
        messages_, [&](const Event* message) { return message->seq > run.start->seq; });
    if (prompt == messages_.end() || *prompt == one.delivered) {
      return finding("steering that waited comes before the prompt", one.delivered);
    }
    return require(one.delivered->seq < first_request_after(run.start->seq, story),
                   "steering that waited comes after the first request", one.delivered);
  }
};

/// BATCH-14: a batch that ends the run does not lose what waits.
class TerminateChecker final : public QueueChecker {
 public:
  void finish(const Story& story, Report& report) override {
    for (const auto& one : queued(story)) {
      const Batch* batch = batch_at(one.step->seq, story);
      if (batch == nullptr || !terminates(*batch, story)) continue;
      const Run* run = run_at(one.step->seq, story);
      if (run == nullptr || is_aborted(*run, story)) continue;
      report.trigger();
      report.complain(require(one.delivered != nullptr &&
                                  first_request_after(one.delivered->seq, story) <= story.last_seq,
                              "a message that waited at a terminating batch is lost", one.step));
    }
  }

 private:
  static bool terminates(const Batch& batch, const Story& story) {
    return std::ranges::all_of(calls_of(batch, story), [](const Call* call) {
      return at(result_of(*call), "terminate") == true;
    });
  }
};

/// ABORT-12: steering joins the closing turn, follow-ups wait for the next run.
class AbortedQueueChecker final : public QueueChecker {
 public:
  void finish(const Story& story, Report& report) override {
    bool has_steered = false;
    for (const auto& one : queued(story)) {
      const Run* run = run_at(one.step->seq, story);
      if (run == nullptr || run->end == nullptr || !is_aborted(*run, story)) continue;
      if (one.mode == "follow_up") {
        report.trigger();
        report.complain(follow_up(one, *run, story));
        continue;
      }
      const bool is_in_time = batch_at(one.step->seq, story) != nullptr;
      if (!is_in_time || std::exchange(has_steered, true)) continue;
      report.trigger();
      report.complain(require(came_before(one.delivered, run->end->seq),
                              "steering is not recorded in the closing turn", one.step));
    }
  }

 private:
  /// One that the run took up before it was aborted is its own.
  static Complaint follow_up(const Queued& one, const Run& run, const Story& story) {
    const auto abort = story.abort_between(run.start->seq, run.end->seq);
    if (came_before(one.delivered, abort)) return std::nullopt;
    if (came_before(one.delivered, run.end->seq)) {
      return finding("a follow-up is delivered in the aborted run", one.delivered);
    }
    const auto next = std::ranges::find_if(
        story.runs, [&](const Run& later) { return later.start->seq > run.end->seq; });
    if (next == story.runs.end() || next->end == nullptr || is_aborted(*next, story)) {
      return std::nullopt;
    }
    return require(came_before(one.delivered, next->end->seq), "a follow-up is lost by the abort",
                   one.step);
  }
};

/// EVENT-36: an extension's message never stands between a call and its result.
class CustomMessageChecker final : public Checker {
 public:
  static std::vector<std::string_view> kinds() {
    return {"provider_response", "message_end", "message_start", "agent_end", "agent_start"};
  }

  void see(const Event& event, const Story&, Report& report) override {
    const bool is_answer = event.as<ProviderResponse>() != nullptr;
    if (is_answer || event.as<MessageEnd>() != nullptr) heard_.push_back(&event);
    if (event.as<AgentStart>() != nullptr) is_running_ = true;
    if (event.as<AgentEnd>() != nullptr) {
      is_running_ = false;
      heard_.clear();
    }
    const auto* start = event.as<MessageStart>();
    if (start == nullptr || start->role != kCustomRole || !is_running_) return;
    report.trigger();
    report.complain(require(open_calls().empty(),
                            "an extension's message stands between a call and its result", &event));
  }

 private:
  /// Those of the run's answers without a result so far.
  std::set<std::string> open_calls() const {
    std::set<std::string> open;
    for (const Event* event : heard_) {
      if (const auto* response = event->as<ProviderResponse>()) {
        if (response->stop_reason == "error" || response->stop_reason == "aborted") continue;
        for (const auto call : ids_of_calls_in(response->message.get())) open.emplace(call);
      } else if (event->as<MessageEnd>()->role == "toolResult") {
        open.erase(event->call);
      }
    }
    return open;
  }

  bool is_running_ = false;
  std::vector<const Event*> heard_;  ///< Answers and messages of the run.
};

}  // namespace

std::vector<Rule> drain_rules() {
  const auto kinds = QueueChecker::kinds();
  return {
      rule("EVENT-31",
           "a steering step during a batch joins after turn_end and before the next request; all "
           "calls end")
          .by<SteeringChecker>(kinds),
      rule("EVENT-32",
           "a follow_up step during a run joins it when no call waits for an answer and no "
           "steering waits")
          .by<FollowUpChecker>(kinds),
      rule("EVENT-33",
           "messages that wait together are delivered one a request, or all at once, as the host "
           "set it")
          .by<QueueModeChecker>(kinds),
      rule("EVENT-34", "a steering step before a run joins behind the prompt, in the first request")
          .by<EarlySteeringChecker>(kinds),
      rule("EVENT-36", "a custom message of a run starts when no call is without its result")
          .by<CustomMessageChecker>(CustomMessageChecker::kinds()),
      rule("BATCH-14", "steps steer and follow_up during a batch that terminates are delivered")
          .by<TerminateChecker>(kinds),
      rule("ABORT-12",
           "in an aborted run steering of its batch joins before agent_end; a follow-up waits for "
           "the next run")
          .by<AbortedQueueChecker>(kinds),
  };
}

}  // namespace plumb::invariants
