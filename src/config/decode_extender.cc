// SPDX-License-Identifier: Apache-2.0
#include "config/decode_extender.h"

#include "config/fields/scalars.h"

namespace berth::config {
namespace {

ExtenderTls DecodeTls(api::FieldReader& reader) {
  ExtenderTls tls;
  tls.insecure = reader.Bool("insecure");
  tls.server_name = reader.String("serverName");
  tls.cert_file = reader.String("certFile");
  tls.key_file = reader.String("keyFile");
  tls.ca_file = reader.String("caFile");
  tls.cert_data = ReadBytes(reader, "certData");
  tls.key_data = ReadBytes(reader, "keyData");
  tls.ca_data = ReadBytes(reader, "caData");
  reader.RejectUnknown();
  return tls;
}

}  // namespace

Extender DecodeExtender(api::FieldReader& reader) {
  Extender extender;
  extender.url_prefix = reader.String("urlPrefix");
  extender.filter_verb = reader.String("filterVerb");
  extender.preempt_verb = reader.String("preemptVerb");
  extender.prioritize_verb = reader.String("prioritizeVerb");
  extender.bind_verb = reader.String("bindVerb");
  extender.weight = reader.Int64("weight").value_or(0);
  extender.enable_https = reader.Bool("enableHTTPS");
  reader.Map("tlsConfig", [&](api::FieldReader& map) { extender.tls = DecodeTls(map); });
  extender.http_timeout = ReadDuration(reader, "httpTimeout").value_or(Duration{});
  extender.node_cache_capable = reader.Bool("nodeCacheCapable");
  reader.ForEach("managedResources", [&](api::FieldReader& map) {
    extender.managed_resources.push_back({map.String("name"), map.Bool("ignoredByScheduler")});
    map.RejectUnknown();
  });
  extender.ignorable = reader.Bool("ignorable");
  reader.RejectUnknown();
  return extender;
}

}  // namespace berth::config
