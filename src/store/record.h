// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace berth::store {

// The store's logical time: one number per committed transaction, starting at 1, strictly increasing. Objects changed
// by one transaction share a revision.
using Revision = int64_t;

// Names one object. Ordered bytewise by kind, namespace, name.
struct Key {
  std::string kind = {};
  std::string namespace_ = {};  // empty for cluster-wide kinds
  std::string name = {};
  friend auto operator<=>(const Key&, const Key&) = default;  // NOLINT(modernize-use-nullptr): it compares with 0
};

struct KeyHash {
  size_t operator()(const Key& key) const {
    const std::hash<std::string> hash;
    return (hash(key.kind) * 31 + hash(key.namespace_)) * 31 + hash(key.name);
  }
};

// "Pod default/web-1", for messages.
std::string ToText(const Key& key);

// What a store knows about an object besides its document: the fields lists select by and Bind sets. Where a field and
// the document differ, the field is authoritative: binding does not rewrite documents.
struct Fields {
  std::string node_name = {};
  std::string phase = {};
  std::string scheduler_name = {};
  friend bool operator==(const Fields&, const Fields&) = default;
};

// One state of one object. Immutable once published.
struct Record {
  Key key = {};
  std::string uid = {};
  Revision created = 0;   // the revision that created this object; changes when it is deleted and created again
  Revision modified = 0;  // the revision of this state; in a delete event, the revision of the deletion
  std::shared_ptr<const std::string> value = {};  // the document: opaque bytes to the store; never null
  Fields fields = {};
};

using RecordPtr = std::shared_ptr<const Record>;

// One change of one object, or, in an initial listing, its state.
struct Event {
  enum class Type : uint8_t { Added, Modified, Deleted };
  Type type = Type::Added;
  RecordPtr object = {};    // for Deleted, the last state
  RecordPtr previous = {};  // the state before; null for Added
};

// Which objects a list or a watch covers. All conditions must hold.
struct Selection {
  enum class Field : uint8_t { NodeName, Phase, SchedulerName };
  struct FieldTest {
    Field field = Field::NodeName;
    std::string value = {};
    bool equal = true;  // false: the field must differ from the value
  };

  std::vector<std::string> kinds = {};  // empty means every kind
  std::string namespace_ = {};          // empty means every namespace
  std::vector<FieldTest> fields = {};

  bool Matches(const Record& record) const;
};

}  // namespace berth::store
