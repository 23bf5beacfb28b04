# Flags shared by every target are on one interface library; nothing is set directory-wide.
option(BERTH_BUILD_TESTS "Build the tests" ON)
option(BERTH_BUILD_BENCH "Build the benchmarks" ON)
option(BERTH_BUILD_FUZZERS "Build libFuzzer targets (clang only)" OFF)
option(BERTH_WARNINGS_AS_ERRORS "Treat warnings as errors" OFF)
# A folder's files are compiled several at a time: a clean build takes a quarter of the time.
option(BERTH_UNITY "Compile several files of a folder at a time" ON)
set(CMAKE_UNITY_BUILD ${BERTH_UNITY})
set(CMAKE_UNITY_BUILD_BATCH_SIZE 8)
set(BERTH_SANITIZE "" CACHE STRING "Sanitizers to build with, as in -fsanitize=")

find_program(BERTH_CCACHE ccache)
if(BERTH_CCACHE)
  # Copies of the tree in other folders share what was compiled.
  set(CMAKE_CXX_COMPILER_LAUNCHER
    ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${BERTH_CCACHE})
endif()

add_library(berth_options INTERFACE)
target_include_directories(berth_options INTERFACE ${PROJECT_SOURCE_DIR}/src)
target_compile_options(berth_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Woverloaded-virtual -Wold-style-cast
  # Scores must come out bit for bit as upstream computes them, so no multiply-add is ever fused.
  -ffp-contract=off
  $<$<CONFIG:Release>:-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 sees overlapping copies in std::string's own operator+ when it optimises (GCC bug 105329).
  target_compile_options(berth_options INTERFACE -Wduplicated-cond -Wlogical-op -Wno-restrict)
elseif(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # As g++ understands -Wconversion.
  target_compile_options(berth_options INTERFACE -Wthread-safety -Wno-sign-conversion)
endif()
if(BERTH_WARNINGS_AS_ERRORS)
  target_compile_options(berth_options INTERFACE -Werror)
endif()
if(BERTH_SANITIZE)
  target_compile_options(berth_options INTERFACE -fsanitize=${BERTH_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  target_link_options(berth_options INTERFACE -fsanitize=${BERTH_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Instrumented code confuses g++ 12's flow analysis, in <regex> for one (GCC bug 105562).
    target_compile_options(berth_options INTERFACE -Wno-maybe-uninitialized)
  endif()
endif()
