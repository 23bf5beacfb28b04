// SPDX-License-Identifier: Apache-2.0
#include "kube/access/exec_plugin.h"

#include "kube/access/test_files.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <thread>
#include <unistd.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace berth::kube {
namespace {

using namespace std::chrono_literals;

constexpr const char* kTokenOutput =
    R"(echo '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"t1"}}')";

class ExecPluginTest : public testing::Test {
 protected:
  ExecPluginTest() {
    surroundings_ = OfThisProcess();
    surroundings_.stdin_is_terminal = false;
    plugin_.api_version = kExecV1;
    plugin_.user = "joe";
  }
  Result<ExecCredential> Run(const std::string& body) {
    plugin_.command = folder_.Script("plug", body);
    return RunExecPlugin(plugin_, surroundings_, limits_);
  }
  // The error without "exec: executable <path> " at its start.
  std::string ErrorOf(const std::string& body) {
    const Result<ExecCredential> credential = Run(body);
    if (credential) return "no error";
    const std::string start = "exec: executable " + plugin_.command;
    EXPECT_EQ(credential.error().message.substr(0, start.size()), start);
    return credential.error().message.substr(start.size());
  }
  static std::string Printing(const std::string& json) { return "cat <<'END'\n" + json + "\nEND"; }

  TestFolder folder_;
  Surroundings surroundings_;
  ExecPlugin plugin_;
  ExecLimits limits_;
};

TEST_F(ExecPluginTest, GivesATokenThatDoesNotExpire) {
  const Result<ExecCredential> credential = Run(kTokenOutput);
  ASSERT_TRUE(credential) << credential.error().message;
  EXPECT_EQ(credential->token, "t1");
  EXPECT_TRUE(credential->key_pair.empty());
  EXPECT_FALSE(credential->expires);
}

TEST_F(ExecPluginTest, GivesATokenWithoutTheLineEndAfterIt) {
  const Result<ExecCredential> credential =
      Run(Printing(R"({"apiVersion":"client.authentication.k8s.io/v1","status":{"token":"t1\n"}})"));
  ASSERT_TRUE(credential) << credential.error().message;
  EXPECT_EQ(credential->token, "t1");
}

TEST_F(ExecPluginTest, GivesACertificateThatExpires) {
  plugin_.api_version = kExecV1beta1;
  const Result<ExecCredential> credential =
      Run(Printing(R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1beta1","spec":{},
           "status":{"clientCertificateData":"CERT","clientKeyData":"KEY","expirationTimestamp":"2026-01-02T03:04:05Z"}})"));
  ASSERT_TRUE(credential) << credential.error().message;
  EXPECT_EQ(credential->token, "");
  EXPECT_EQ(credential->key_pair, (KeyPair{"CERT", "KEY"}));
  EXPECT_EQ(credential->expires, std::chrono::sys_days(std::chrono::year(2026) / 1 / 2) + 3h + 4min + 5s);
}

TEST_F(ExecPluginTest, NeedNotNameItsKindAndMayWriteYaml) {
  const Result<ExecCredential> credential =
      Run(Printing("apiVersion: client.authentication.k8s.io/v1\nmore: 1\nstatus:\n  token: t2"));
  ASSERT_TRUE(credential) << credential.error().message;
  EXPECT_EQ(credential->token, "t2");
}

TEST_F(ExecPluginTest, IsGivenArgumentsVariablesAndNoInput) {
  surroundings_.variables["OUTER"] = "outer";
  surroundings_.variables["BOTH"] = "outer";
  plugin_.arguments = {"a b", "$HOME", "*"};
  plugin_.variables = {{"BOTH", "inner"}, {"FOLDER", folder_.path()}};
  plugin_.cluster_info = R"({"server":"https://h","config":null})";
  ASSERT_TRUE(
      Run(std::string("printf '%s|' \"$#\" \"$1\" \"$2\" \"$3\" \"$OUTER\" \"$BOTH\" \"$(cat)\" > $FOLDER/seen\n"
                      "printf '%s' \"$KUBERNETES_EXEC_INFO\" > $FOLDER/info\n") +
          kTokenOutput));
  EXPECT_EQ(folder_.Read("seen"), "3|a b|$HOME|*|outer|inner||");
  EXPECT_EQ(folder_.Read("info"),
            "{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\",\"spec\":{\"cluster\":"
            "{\"server\":\"https://h\",\"config\":null},\"interactive\":false}}\n");
  plugin_.cluster_info = "";
  ASSERT_TRUE(Run(std::string("printf '%s' \"$KUBERNETES_EXEC_INFO\" > $FOLDER/info\n") + kTokenOutput));
  EXPECT_EQ(folder_.Read("info"),
            "{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\",\"spec\":"
            "{\"interactive\":false}}\n");
}

TEST_F(ExecPluginTest, IsFoundInPath) {
  folder_.Script("kube-login", kTokenOutput);
  plugin_.command = "kube-login";
  plugin_.install_hint = "Install it by: apt install kube-login";
  surroundings_.variables["PATH"] = ".::/nonexistent:" + folder_.path() + ":/usr/bin:/bin";
  EXPECT_TRUE(RunExecPlugin(plugin_, surroundings_, limits_));
  surroundings_.variables["PATH"] = ".:/nonexistent";
  const Result<ExecCredential> missing = RunExecPlugin(plugin_, surroundings_, limits_);
  EXPECT_EQ(missing.error().message,
            "exec: executable kube-login not found: the credential plugin of user \"joe\" is not installed, or not in "
            "PATH\n\nInstall it by: apt install kube-login");
  plugin_.command = folder_.Path("nothing");
  EXPECT_EQ(RunExecPlugin(plugin_, surroundings_, limits_).error().code, ErrorCode::NotFound);
}

TEST_F(ExecPluginTest, ThatCannotBeStartedSaysWhy) {
  plugin_.command = folder_.path();
  EXPECT_EQ(RunExecPlugin(plugin_, surroundings_, limits_).error().message,
            "exec: executable " + folder_.path() + " cannot be started: Permission denied");
}

TEST_F(ExecPluginTest, ThatFailsIsQuoted) {
  EXPECT_EQ(ErrorOf("echo first >&2; printf 'not \\033[1mlogged in\\n' >&2; exit 3"),
            " failed with exit code 3: first\nnot U+001B[1mlogged in");
  EXPECT_EQ(ErrorOf("exit 1"), " failed with exit code 1: it wrote nothing to standard error");
  EXPECT_EQ(ErrorOf("kill -TERM $$"), " was ended by signal 15: it wrote nothing to standard error");
  EXPECT_EQ(ErrorOf("head -c 100000 /dev/zero | tr '\\0' x >&2; echo end >&2; exit 1"),
            " failed with exit code 1: …" + std::string(997, 'x') + "end");
}

TEST_F(ExecPluginTest, ThatHangsIsKilledWithWhatItStarted) {
  limits_.time_limit = 2s;  // long enough for the shell to come to its last line
  EXPECT_EQ(ErrorOf("echo waiting for a browser >&2; sleep 1000 & echo $! > $(dirname $0)/child; wait"),
            " has not ended within 2s and was killed: waiting for a browser");
  // The kernel may take a moment; a zombie nobody waits for has ended, too.
  const std::string state = fmt::format("/proc/{}/stat", std::atoi(folder_.Read("child").c_str()));
  while (true) {
    const Result<std::string> text = ReadWholeFile(state);
    if (!text || text->find(") Z ") != std::string::npos) break;
    std::this_thread::sleep_for(1ms);
  }
}

TEST_F(ExecPluginTest, ThatHangsOutsideItsProcessGroupIsKilledToo) {
  limits_.time_limit = 2s;  // long enough for Perl to come to its second line
  EXPECT_EQ(ErrorOf("cd $(dirname $0)\n"
                    "exec perl -e 'setpgrp(0, getpgrp(getppid())) or die;\n"
                    "              open(F, \">left\"); close(F); sleep 8; open(F, \">survived\")'"),
            " has not ended within 2s and was killed: it wrote nothing to standard error");
  EXPECT_TRUE(ReadWholeFile(folder_.Path("left")));
  EXPECT_FALSE(ReadWholeFile(folder_.Path("survived"))) << "it was not waited for";
}

TEST_F(ExecPluginTest, InheritsNothingThatWeHaveOpened) {
  const int descriptor = fcntl(STDOUT_FILENO, F_DUPFD, 100);  // not marked to be closed
  ASSERT_GE(descriptor, 100);
  const Result<ExecCredential> credential =
      Run(fmt::format("[ -e /proc/self/fd/{} ] && touch $(dirname $0)/inherited\n", descriptor) + kTokenOutput);
  close(descriptor);
  EXPECT_TRUE(credential) << credential.error().message;
  EXPECT_FALSE(ReadWholeFile(folder_.Path("inherited")));
}

TEST_F(ExecPluginTest, ThatClosesItsOutputAndHangsIsKilled) {
  limits_.time_limit = 300ms;
  EXPECT_EQ(ErrorOf("exec >&- 2>&-; sleep 1000"),
            " has not ended within 300ms and was killed: it wrote nothing to standard error");
}

TEST_F(ExecPluginTest, MayLeaveSomethingRunningThatKeepsItsOutputOpen) {
  limits_.time_limit = 600s;
  const Result<ExecCredential> credential =
      Run(std::string("sleep 1000 & echo $! > $(dirname $0)/child\n") + kTokenOutput);
  kill(std::atoi(folder_.Read("child").c_str()), SIGKILL);
  ASSERT_TRUE(credential) << credential.error().message;
  EXPECT_EQ(credential->token, "t1");
}

TEST_F(ExecPluginTest, ThatPrintsTooMuchIsKilled) {
  limits_.max_output_bytes = 100'000;
  EXPECT_EQ(ErrorOf("cat /dev/zero"),
            " printed more than 100000 bytes and was killed: it wrote nothing to standard error");
  EXPECT_EQ(ErrorOf("head -c 200000 /dev/zero"),
            " printed more than 100000 bytes and was killed: it wrote nothing to standard error");
}

TEST_F(ExecPluginTest, ThatPrintsNoCredentialIsRefused) {
  const auto status = [](const std::string& content) {
    return R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":)" + content + "}";
  };
  const struct {
    std::string output;
    std::string error;
  } cases[] = {
      {"", ": decoding stdout: it is no ExecCredential object in JSON"},
      {"my-secret-token", ": decoding stdout: it is no ExecCredential object in JSON"},
      {"{\"token\": \"my-secret", ": decoding stdout: it is no ExecCredential object in JSON"},
      {"[]", ": decoding stdout: it is no ExecCredential object in JSON"},
      {status(R"({"token":"a"})") + "\n" + status(R"({"token":"b"})"),
       ": decoding stdout: it is no ExecCredential object in JSON"},
      {"{}",
       ": exec plugin is configured to use API version client.authentication.k8s.io/v1, plugin returned version \"\""},
      {R"({"kind":"","apiVersion":"v1"})", ": decoding stdout: expected kind ExecCredential, found \"\""},
      {R"({"kind":"Pod","apiVersion":"v1"})", ": decoding stdout: expected kind ExecCredential, found \"Pod\""},
      {R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1beta1"})",
       ": exec plugin is configured to use API version client.authentication.k8s.io/v1, plugin returned version "
       "\"client.authentication.k8s.io/v1beta1\""},
      {status("null"), ": exec plugin didn't return a status field"},
      {status("{}"), ": exec plugin didn't return a token or cert/key pair"},
      {status(R"({"token":"t","clientKeyData":"k"})"), ": exec plugin returned only certificate or key, not both"},
      {status(R"({"token":5})"), ": decoding stdout: stdout:1:91: status.token: expected string, found integer"},
      {status(R"({"token":"t","expirationTimestamp":"soon"})"),
       ": decoding stdout: stdout:1:117: status.expirationTimestamp: \"soon\" is not an RFC 3339 time"},
      {status("7"), ": decoding stdout: stdout:1:82: status: expected map, found integer"},
  };
  for (const auto& one : cases) EXPECT_EQ(ErrorOf(Printing(one.output)), one.error) << one.output;
}

TEST_F(ExecPluginTest, ThatNeedsATerminalIsNotRunWithoutOne) {
  plugin_.interactive_mode = InteractiveMode::Always;
  const Result<ExecCredential> credential = Run("touch $(dirname $0)/ran");
  EXPECT_EQ(credential.error().message,
            "exec plugin cannot support interactive mode: standard input is not a terminal");
  EXPECT_FALSE(ReadWholeFile(folder_.Path("ran")));
  plugin_.interactive_mode = InteractiveMode::IfAvailable;
  EXPECT_TRUE(Run(kTokenOutput));
}

TEST_F(ExecPluginTest, IsToldOfATerminal) {
  surroundings_.stdin_is_terminal = true;
  plugin_.interactive_mode = InteractiveMode::IfAvailable;
  ASSERT_TRUE(Run(std::string("printf '%s' \"$KUBERNETES_EXEC_INFO\" > $(dirname $0)/info\n") + kTokenOutput));
  EXPECT_NE(folder_.Read("info").find("\"interactive\":true"), std::string::npos);
}

TEST(ThisProcess, IsSeen) {
  const Surroundings surroundings = OfThisProcess();
  EXPECT_EQ(surroundings.Variable("PATH"), std::getenv("PATH"));
  EXPECT_EQ(surroundings.Variable("NO_SUCH_VARIABLE"), "");
  EXPECT_TRUE(surroundings.working_folder.starts_with('/'));
  EXPECT_EQ(surroundings.read_file("/nonexistent").error().code, ErrorCode::NotFound);
  EXPECT_EQ(surroundings.read_file("/").error().message, "Is a directory");
  EXPECT_EQ(surroundings.read_file("/dev/zero").error().message, "is larger than 64 MiB");
}

}  // namespace
}  // namespace berth::kube
