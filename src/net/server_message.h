// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/http.h"
#include "net/peer_certificates.h"

#include <memory>
#include <string>
#include <string_view>

namespace berth::net {

// A request as a server has received it.
struct ServerRequest {
  std::string method = {};
  std::string target = {};  // as sent: "/healthz?verbose"
  std::string path = {};    // decoded: what routes and rules are about
  std::string query = {};   // encoded, without the question mark
  int http_major = 1;
  Headers headers = {};  // names in lower case; may repeat
  std::string body = {};
  std::string remote = {};                             // "10.0.0.7:4312"
  std::shared_ptr<const PeerCertificates> shown = {};  // null: the client has shown no certificate

  // The first value of the header; empty when there is none.
  std::string_view Header(std::string_view name) const;
};

// The length, the date and what the protocol needs are added. A header "connection: close" ends the connection.
struct ServerResponse {
  int status = 200;
  Headers headers = {};  // names in lower case
  std::string body = {};
};

// "Not Found" for 404; empty for a code that nobody has named.
std::string_view StatusText(int status);

}  // namespace berth::net
