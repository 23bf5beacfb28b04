// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/loop.h"

namespace boost::asio {
class io_context;
}  // namespace boost::asio

namespace berth::net {

// What sockets of this folder are made on.
boost::asio::io_context& IoContextOf(Loop& loop);

}  // namespace berth::net
