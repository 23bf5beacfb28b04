# berth_library(name SOURCES … [TESTS …] [USES …] [PRIVATE …] [ALONE …])
#
# One folder, one static library berth_<name>, and one test binary <name>_test made of the *_test.cc files that lie
# beside the sources. USES names other folders; PRIVATE names third-party targets that no header mentions. ALONE names
# files that share a local name with a neighbour, and so are not compiled together with it.
function(berth_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;TESTS;USES;PRIVATE;TEST_USES;ALONE" ${ARGN})
  set_source_files_properties(${ARG_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  add_library(berth_${name} STATIC ${ARG_SOURCES})
  target_link_libraries(berth_${name} PUBLIC berth_options fmt::fmt)
  foreach(used IN LISTS ARG_USES)
    target_link_libraries(berth_${name} PUBLIC berth_${used})
  endforeach()
  if(ARG_PRIVATE)
    target_link_libraries(berth_${name} PRIVATE ${ARG_PRIVATE})
  endif()
  if(ARG_TESTS AND BERTH_BUILD_TESTS)
    berth_test(${name}_test SOURCES ${ARG_TESTS} USES ${name} ${ARG_TEST_USES})
  endif()
endfunction()

# berth_test(name SOURCES … USES … [ALONE …]): a GoogleTest binary whose cases ctest lists one by one.
function(berth_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;USES;ALONE" ${ARGN})
  set_source_files_properties(${ARG_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE berth_options GTest::gtest GTest::gtest_main)
  foreach(used IN LISTS ARG_USES)
    target_link_libraries(${name} PRIVATE berth_${used})
  endforeach()
  # What is run once is not worth optimising: it would take most of the time of a build.
  target_compile_options(${name} PRIVATE -O0)
  target_compile_definitions(${name} PRIVATE BERTH_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  gtest_discover_tests(${name} NO_PRETTY_VALUES DISCOVERY_TIMEOUT 3600)
endfunction()
