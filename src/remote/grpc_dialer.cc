// SPDX-License-Identifier: Apache-2.0
#include "remote/grpc_dialer.h"

#include "base/mutex.h"
#include "base/thread_annotations.h"
#include "base/thread_name.h"
#include "net/grpc_stream.h"
#include "net/loop.h"

#include <cstdint>
#include <limits>
#include <thread>
#include <utility>

namespace berth::remote {

class GrpcDialer::Transport {
 public:
  Transport()
      : thread_([this] {
          NameThread("remote");
          loop_.Run();
        }) {}
  ~Transport() {
    loop_.Stop();
    thread_.join();
  }
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  net::Loop& loop() { return loop_; }

 private:
  net::Loop loop_;
  std::thread thread_;
};

namespace {

// Between a stream, which may live on for a moment, and the listener of a channel, which may not.
class Relay final : public net::GrpcStreamEvents {
 public:
  Relay(std::string endpoint, ChannelListener& listener) : endpoint_(std::move(endpoint)), listener_(&listener) {}

  // Nothing is told once this has returned.
  void Detach() BERTH_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    listener_ = nullptr;
  }

  void StreamReady() override {
    const MutexLock lock(mutex_);
    if (listener_ != nullptr) listener_->Connected();
  }
  void StreamReceived(std::string message) override {
    const MutexLock lock(mutex_);
    if (listener_ == nullptr) return;
    PluginMessage read;
    if (read.ParseFromString(message)) return listener_->Received(std::move(read));
    Lose("it has sent a message that cannot be read");
  }
  void StreamEnded(const net::GrpcStatus& status) override {
    const MutexLock lock(mutex_);
    if (listener_ == nullptr) return;
    // What the transport says of itself needs no code.
    const bool is_ours = status.code == net::GrpcCode::Unavailable;
    if (status.code == net::GrpcCode::Ok) return Lose("it has ended the stream");
    Lose(is_ours ? status.message : "it has ended the stream: " + net::GrpcStatusText(status));
  }

 private:
  void Lose(const std::string& why) BERTH_REQUIRES(mutex_) {
    std::exchange(listener_, nullptr)->Lost("plugin at " + endpoint_ + ": " + why);
  }

  const std::string endpoint_;
  // Held while the listener is told, so that Detach waits for that.
  Mutex mutex_;
  ChannelListener* listener_ BERTH_GUARDED_BY(mutex_);  // null: it hears nothing more
};

class GrpcChannel final : public Channel {
 public:
  GrpcChannel(std::shared_ptr<GrpcDialer::Transport> transport, const net::GrpcCall& call, std::shared_ptr<Relay> relay)
      : transport_(std::move(transport)),
        relay_(std::move(relay)),
        stream_(net::OpenGrpcStream(transport_->loop(), call, relay_)) {}
  ~GrpcChannel() override {
    relay_->Detach();
    stream_.Close();
  }
  GrpcChannel(const GrpcChannel&) = delete;
  GrpcChannel& operator=(const GrpcChannel&) = delete;

  void Send(const SchedulerMessage& message) override { stream_.Send(message.SerializeAsString()); }

 private:
  const std::shared_ptr<GrpcDialer::Transport> transport_;
  const std::shared_ptr<Relay> relay_;
  const net::GrpcStream stream_;
};

}  // namespace

GrpcDialer::GrpcDialer(std::string endpoint, net::GrpcCall call)
    : endpoint_(std::move(endpoint)), call_(std::move(call)), transport_(std::make_shared<Transport>()) {}
GrpcDialer::~GrpcDialer() = default;

Result<std::unique_ptr<GrpcDialer>> GrpcDialer::Make(const GrpcDialerOptions& options) {
  BERTH_ASSIGN_OR_RETURN(const Address address, Address::Parse(options.endpoint));
  net::GrpcCall call = {.target = {.unix_path = address.path, .host = address.host, .port = address.port},
                        .path = kSessionMethod,
                        .patience = options.patience};
  call.limits.max_message_bytes = options.max_message_bytes;
  call.limits.max_unsent_bytes = options.max_unsent_bytes;
  call.limits.greeting_timeout = options.connect_timeout;
  call.limits.max_untaken_bytes = std::numeric_limits<size_t>::max();  // the listener takes everything at once
  if (address.kind == Address::Kind::Tls) {
    BERTH_ASSIGN_OR_RETURN(call.target.tls, ClientTls(options.tls));
  } else if (!options.tls.empty()) {
    return InvalidError("certificates are of no use for " + options.endpoint + ": only tls:// has TLS");
  } else if (!address.is_local() && !options.allow_clear_text) {
    return InvalidError(options.endpoint + " is another machine: it needs TLS, as tls://");
  }
  return std::unique_ptr<GrpcDialer>(new GrpcDialer(address.Text(), std::move(call)));
}

std::unique_ptr<Channel> GrpcDialer::Dial(ChannelListener& listener) {
  return std::make_unique<GrpcChannel>(transport_, call_, std::make_shared<Relay>(endpoint_, listener));
}

}  // namespace berth::remote
