// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "config/types.h"
#include "kube/access/server_address.h"
#include "kube/access/surroundings.h"
#include "net/http_client.h"

namespace berth::extender {

// How the extender is reached, with the files that its configuration names read now. A server that is asked by https
// must show a certificate that can be trusted, unless the configuration says enableHTTPS without an authority or
// insecure: so does kube-scheduler. HTTP_PROXY and its like are obeyed, too.
Result<net::Endpoint> EndpointOf(const config::Extender& extender, const kube::ServerAddress& server,
                                 const kube::Surroundings& surroundings);

}  // namespace berth::extender
