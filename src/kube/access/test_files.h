// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kube/access/surroundings.h"

#include <map>
#include <memory>
#include <string>

namespace berth::kube {

// Not a real certificate or key, but labelled as one.
std::string FakeCertificate(const std::string& name);
std::string FakeKey(const std::string& name);

// Files and variables that exist only in a test. Files may change while Surroundings made of it are in use.
class TestFiles {
 public:
  TestFiles();
  void Write(const std::string& path, std::string content) { (*files_)[path] = std::move(content); }
  void Remove(const std::string& path) { files_->erase(path); }
  void Set(const std::string& variable, std::string value) { surroundings_.variables[variable] = std::move(value); }
  const Surroundings& surroundings() const { return surroundings_; }

 private:
  std::shared_ptr<std::map<std::string, std::string>> files_;
  Surroundings surroundings_;
};

// A real folder, removed at the end.
class TestFolder {
 public:
  TestFolder();
  ~TestFolder();
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  // Writes a shell script that can be run; returns its path.
  std::string Script(const std::string& name, const std::string& body) const;
  std::string Path(const std::string& name) const { return path_ + "/" + name; }
  std::string Read(const std::string& name) const;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// A kubeconfig with one cluster k, user u and context c; the parts are YAML in flow style.
std::string SmallKubeconfig(const std::string& cluster, const std::string& user,
                            const std::string& context = "{cluster: k, user: u}");

}  // namespace berth::kube
