// SPDX-License-Identifier: Apache-2.0
#include "kube/access/test_files.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <utility>

#include <fmt/format.h>

namespace berth::kube {

std::string FakeCertificate(const std::string& name) {
  return fmt::format("-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n", name);
}

std::string FakeKey(const std::string& name) {
  return fmt::format("-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n", name);
}

TestFiles::TestFiles() : files_(std::make_shared<std::map<std::string, std::string>>()) {
  surroundings_.variables["HOME"] = "/home/joe";
  surroundings_.working_folder = "/project";
  surroundings_.read_file = [files = files_](const std::string& path) -> Result<std::string> {
    const auto found = files->find(path);
    if (found == files->end()) return NotFoundError("no such file or directory");
    if (found->second == "unreadable") return Error{ErrorCode::Unavailable, "permission denied"};
    return found->second;
  };
}

TestFolder::TestFolder() : path_((std::filesystem::temp_directory_path() / "berth_access_XXXXXX").string()) {
  if (mkdtemp(path_.data()) == nullptr) std::abort();
}

TestFolder::~TestFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TestFolder::Script(const std::string& name, const std::string& body) const {
  std::string path = Path(name);
  std::ofstream(path) << "#!/bin/sh\n" << body << "\n";
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path;
}

std::string TestFolder::Read(const std::string& name) const { return ReadWholeFile(Path(name)).value(); }

std::string SmallKubeconfig(const std::string& cluster, const std::string& user, const std::string& context) {
  return fmt::format(
      "apiVersion: v1\nkind: Config\ncurrent-context: c\nclusters:\n- name: k\n  cluster: {}\nusers:\n- name: u\n"
      "  user: {}\ncontexts:\n- name: c\n  context: {}\n",
      cluster, user, context);
}

}  // namespace berth::kube
