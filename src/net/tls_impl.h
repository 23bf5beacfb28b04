// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/tls.h"

#include <string>

struct ssl_ctx_st;

namespace berth::net {

class TlsClientContext::Impl {
 public:
  // Takes the context over.
  Impl(ssl_ctx_st* context, std::string server_name);
  ~Impl();
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  ssl_ctx_st* context() const { return context_; }
  const std::string& server_name() const { return server_name_; }

 private:
  ssl_ctx_st* context_;
  std::string server_name_;
};

}  // namespace berth::net
