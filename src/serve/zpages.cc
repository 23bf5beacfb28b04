// SPDX-License-Identifier: Apache-2.0
#include "serve/zpages.h"

#include "api/time_text.h"
#include "serve/answers.h"
#include "serve/cbor.h"
#include "serve/negotiation.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace berth::serve {
namespace {

constexpr std::string_view kGroup = "config.k8s.io";

// A page that has a text, and a document in two versions.
class StructuredPage {
 public:
  using Text = std::function<std::string()>;
  using Fields = std::function<void(api::Value& document)>;

  // `fields` adds to a document that has its kind and name.
  StructuredPage(std::string kind, std::string component, bool cbor, Text text, Fields fields)
      : kind_(std::move(kind)), component_(std::move(component)), text_(std::move(text)), fields_(std::move(fields)) {
    const std::vector<WantedKind> kinds = {{std::string(kGroup), "v1alpha1", kind_},
                                           {std::string(kGroup), "v1beta1", kind_}};
    offers_ = {{"application/json", kinds}, {"application/yaml", kinds}, {"text/plain", {}}};
    if (cbor) offers_.push_back({"application/cbor", kinds});
    for (const Offer& offer : offers_) {
      error_offers_.push_back({offer.media_type, {}});
      media_types_ += fmt::format("{}{}", media_types_.empty() ? "" : ", ", offer.media_type);
    }
  }

  net::ServerResponse Answer(const net::ServerRequest& request) const {
    const std::string_view accept = request.Header("accept");
    if (accept.find_first_not_of(" \t") == std::string_view::npos) return TextPage();
    const std::optional<Negotiated> agreed = Negotiate(accept, offers_);
    if (!agreed.has_value()) {
      return FailureAnswer(request,
                           {.code = 406,
                            .reason = "NotAcceptable",
                            .message = "only the following media types are accepted: " + media_types_},
                           error_offers_);
    }
    return agreed->kind.has_value() ? Document(request, *agreed) : TextPage();
  }

 private:
  net::ServerResponse TextPage() const {
    return TextAnswer(200, fmt::format("\n{} {}\nWarning: This endpoint is not meant to be machine parseable, has no "
                                       "formatting compatibility guarantees and is for debugging purposes only.\n{}",
                                       component_, net::LowerCase(kind_), text_()));
  }

  net::ServerResponse Document(const net::ServerRequest& request, const Negotiated& agreed) const {
    api::Value document = api::Value::Map();
    document.Set("kind", api::Value::String(kind_));
    document.Set("apiVersion", api::Value::String(fmt::format("{}/{}", kGroup, agreed.kind->version)));
    api::Value metadata = api::Value::Map();
    metadata.Set("name", api::Value::String(component_));
    document.Set("metadata", std::move(metadata));
    fields_(document);
    net::ServerResponse answer;
    answer.headers.emplace_back(
        "content-type", fmt::format("{};g={};v={};as={}", agreed.media_type, kGroup, agreed.kind->version, kind_));
    if (agreed.kind->version == "v1alpha1") {
      answer.headers.emplace_back(
          "warning", fmt::format("299 - \"This version of the {} endpoint is deprecated. Please use a newer version.\"",
                                 net::LowerCase(kind_)));
    }
    if (agreed.media_type == "application/yaml") {
      answer.body = GoYaml(document);
    } else if (agreed.media_type == "application/cbor") {
      answer.body = ToCbor(document);
    } else {
      answer.body = GoJson(document, agreed.pretty || WantsPretty(request));
    }
    return answer;
  }

  const std::string kind_;
  const std::string component_;
  const Text text_;
  const Fields fields_;
  std::vector<Offer> offers_;
  std::vector<Offer> error_offers_;  // for what has no kind to be chosen
  std::string media_types_;
};

void AddStructured(Router& router, const std::string& path, std::shared_ptr<const StructuredPage> page, bool listed) {
  router.Add(
      {.path = path, .listed = listed, .handler = [page = std::move(page)](const Call& call, const Reply& reply) {
         reply(page->Answer(call.request));
       }});
}

// Of "/metrics/resources" only "/metrics" is shown.
std::vector<std::string> TopFolders(const std::vector<std::string>& paths) {
  std::set<std::string> folders;
  for (const std::string& path : paths) {
    const std::string folder = path.substr(0, path.find('/', 1));
    if (folder.size() > 1) folders.insert(folder);
  }
  return {folders.begin(), folders.end()};
}

int64_t SecondsSince(Timestamp started, const Clock& clock) {
  return std::max<int64_t>(0, std::chrono::duration_cast<std::chrono::seconds>(clock.Now() - started).count());
}

std::string StatuszText(const PageOptions& options, const std::vector<std::string>& paths, const Clock& clock) {
  const int64_t up = SecondsSince(options.started, clock);
  const auto started = std::chrono::time_point_cast<std::chrono::seconds>(options.started);
  std::string text = fmt::format(
      "\nStarted: {:%a %b %e %H:%M:%S} UTC {:%Y}\nUp: {} hr {:02} min {:02} sec\nGo version: {}\nBinary version: {}\n",
      started, started, up / 3600, up / 60 % 60, up % 60, options.go_version, options.binary_version);
  if (!options.emulation_version.empty()) text += "Emulation version: " + options.emulation_version;
  return text + fmt::format("\nPaths: {}\n", fmt::join(paths, " "));
}

}  // namespace

void AddFlagz(Router& router, const PageOptions& options) {
  const auto text = [flags = options.flags] {
    std::string lines;
    for (const auto& [name, value] : flags()) lines += fmt::format("{}={}\n", name, value);
    return lines;
  };
  const auto fields = [flags = options.flags](api::Value& document) {
    api::Value map = api::Value::Map();
    for (const auto& [name, value] : flags()) map.Set(name, api::Value::String(value));
    document.Set("flags", std::move(map));
  };
  AddStructured(router, "/flagz",
                std::make_shared<StructuredPage>("Flagz", options.component, options.cbor, text, fields), true);
}

void AddStatusz(Router& router, const PageOptions& options, const Clock& clock) {
  const std::vector<std::string> paths = TopFolders(router.Listed());
  const auto text = [options, paths, &clock] { return StatuszText(options, paths, clock); };
  const auto fields = [options, paths, &clock](api::Value& document) {
    document.Set("startTime", api::Value::String(api::ToRfc3339(options.started)));
    document.Set("uptimeSeconds", api::Value::Int(SecondsSince(options.started, clock)));
    document.Set("goVersion", api::Value::String(options.go_version));
    document.Set("binaryVersion", api::Value::String(options.binary_version));
    if (!options.emulation_version.empty()) {
      document.Set("emulationVersion", api::Value::String(options.emulation_version));
    }
    api::Value list = api::Value::List();
    for (const std::string& path : paths) list.Append(api::Value::String(path));
    document.Set("paths", std::move(list));
  };
  AddStructured(router, "/statusz",
                std::make_shared<StructuredPage>("Statusz", options.component, options.cbor, text, fields), false);
}

}  // namespace berth::serve
