// SPDX-License-Identifier: Apache-2.0
#include "engine/extensions/hosted/hosted.h"

#include <algorithm>
#include <utility>

#include "engine/extensions/hosted/host_services.h"
#include "engine/kernel/env.h"

namespace plumb::engine {

/// The factory itself: runs once per load.
class HostedWorld::Factory {
 public:
  Factory(HostedWorld& world, std::string file) : world_(&world), file_(std::move(file)) {}
  Task<Result<void>> operator()(ExtensionApi& api) const { return world_->load(&api, file_); }

 private:
  HostedWorld* world_;
  std::string file_;
};

HostedWorld::HostedWorld(Loop& loop, Recorder& recorder, HostedOptions options)
    : services_(std::make_unique<HostServices>(loop, recorder, std::move(options.builtin_tools),
                                               std::move(options.before_turn),
                                               std::move(options.after_turn))),
      process_(
          loop, [&loop] { return kHermeticEpochMs + loop.now_ms(); }, std::move(options.host),
          *services_) {
  services_->set_process(process_);
}

HostedWorld::~HostedWorld() = default;

ExtensionSource HostedWorld::extension(std::string path, std::string file) {
  SourceInfo source;
  source.path = std::move(path);
  source.source = "local";
  return ExtensionSource(std::move(source), Factory(*this, std::move(file)));
}

void HostedWorld::set_session(ExtensionHost& session) {
  services_->set_session(session);
}

bool HostedWorld::has_been_live() const {
  return process_.has_been_live();
}

HostRequest HostedWorld::load_request(std::int64_t number, const std::string& file,
                                      const std::string& path) const {
  HostRequest request("load", Json{{"extension", number}, {"path", file}});
  request.params["generation"] = generation_;
  request.extension = path;
  request.activity = "its factory ran";
  return request;
}

Result<void> HostedWorld::ensure_running(const std::string& file) {
  // The same file again: this is a reload, and what was loaded before is of the past (EXT-27).
  if (std::ranges::find(loaded_, file, &Loaded::file) != loaded_.end()) {
    loaded_.clear();
    ++generation_;
    if (process_.is_running()) (void)process_.request_now(HostRequest("dispose", Json::object()));
  }
  if (process_.is_running()) return {};
  PLUMB_TRY(const Json hello, process_.start());
  services_->note("<host>", "hello", hello);
  for (const Loaded& one : loaded_) {
    const HostReply again = process_.request_now(load_request(one.number, one.file, one.path));
    if (!again) return fail(ErrorCode::protocol, again.error().message);
  }
  return {};
}

Task<Result<void>> HostedWorld::load(ExtensionApi* api, std::string file) {
  const auto running = ensure_running(file);
  if (!running) co_return running;
  const std::int64_t number = next_number_++;
  HostRequest request = load_request(number, file, api->path());
  const HostReply reply = co_await process_.request(std::move(request));
  if (!reply) co_return fail(ErrorCode::rejected, reply.error().message);
  services_->report_missing(api->path(), *reply);
  const Json resources = value_in(*reply, "resources");
  if (!resources.empty()) services_->note(api->path(), "open_resources", resources);
  loaded_.push_back(Loaded{number, file, api->path()});
  co_return services_->add(*api, number, value_in(*reply, "registrations"));
}

}  // namespace plumb::engine
