// SPDX-License-Identifier: Apache-2.0
#include "serve/review_documents.h"

#include "api/document.h"

#include <utility>

namespace berth::serve {

std::string ReviewText(std::string_view api_version, std::string_view kind, api::Value spec) {
  api::Value review = api::Value::Map();
  review.Set("apiVersion", api::Value::String(std::string(api_version)));
  review.Set("kind", api::Value::String(std::string(kind)));
  review.Set("spec", std::move(spec));
  return api::ToJson(review);
}

Result<api::Value> DocumentIn(const kube::ApiResponse& response) {
  if (!response.ok()) return kube::ToError(response);
  BERTH_ASSIGN_OR_RETURN(auto documents, api::ReadDocuments(response.body, "response"));
  if (documents.size() != 1 || !documents.front().root.is_map()) return InvalidError("the response holds no object");
  return std::move(documents.front().root);
}

Result<api::Value> ReviewStatus(const kube::ApiResponse& response) {
  BERTH_ASSIGN_OR_RETURN(const api::Value review, DocumentIn(response));
  const api::Value* status = review.Find("status");
  return status == nullptr ? api::Value::Map() : *status;
}

std::string TextAt(const api::Value& map, std::string_view key) {
  const api::Value* value = map.Find(key);
  return value != nullptr && value->is_string() ? value->text() : std::string();
}

std::vector<std::string> TextsOf(const api::Value& list) {
  std::vector<std::string> texts;
  for (const api::Value& item : list.items()) texts.push_back(item.text());
  return texts;
}

std::vector<std::string> TextsAt(const api::Value& map, std::string_view key) {
  const api::Value* value = map.Find(key);
  return value == nullptr ? std::vector<std::string>() : TextsOf(*value);
}

bool IsTrueAt(const api::Value& map, std::string_view key) {
  const api::Value* value = map.Find(key);
  return value != nullptr && value->bool_value();
}

api::Value ListOf(const std::vector<std::string>& texts) {
  api::Value list = api::Value::List();
  for (const std::string& text : texts) list.Append(api::Value::String(text));
  return list;
}

}  // namespace berth::serve
