// SPDX-License-Identifier: Apache-2.0
#include "engine/kernel/incarnation.h"

#include <utility>

namespace plumb::engine {

Task<Result<FileReply>> SeverableFiles::perform(FileRequest request) {
  if (incarnation_->is_severed()) co_await incarnation_->never();
  auto reply = co_await inner_->perform(std::move(request));
  if (incarnation_->is_severed()) co_await incarnation_->never();
  co_return reply;
}

Task<Result<ProcessExit>> SeverableProcesses::run(ProcessSpec spec, OutputSink& sink,
                                                  AbortSignal signal) {
  if (incarnation_->is_severed()) co_await incarnation_->never();
  auto exit = co_await inner_->run(std::move(spec), sink, std::move(signal));
  if (incarnation_->is_severed()) co_await incarnation_->never();
  co_return exit;
}

}  // namespace plumb::engine
