# What programs outside this tree are built with: the headers of include/berth/, all of Berth as one static library, and
# BerthConfig.cmake, by which find_package(Berth) finds both as Berth::berth.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

# The third-party libraries that Berth is linked with. BerthConfig.cmake.in finds them again, and berth-dev depends on
# their packages.
set(BERTH_SDK_LINKS fmt::fmt yaml-cpp spdlog::spdlog prometheus-cpp::core OpenSSL::SSL OpenSSL::Crypto Threads::Threads
  protobuf::libprotobuf-lite)
set(BERTH_SDK_PACKAGES g++ libfmt-dev libnghttp2-dev libprotobuf-dev libspdlog-dev libssl-dev libyaml-cpp-dev
  prometheus-cpp-dev)
# Nothing to link with.
set(BERTH_SDK_HEADERS_ONLY berth_options berth_protozero nlohmann_json::nlohmann_json CLI11::CLI11 Boost::headers)

if(BERTH_SANITIZE)
  return()  # nobody links with such a library, and it would be large
endif()

# The libraries of this tree that `target` is made of, itself included; fails on third-party libraries not named above.
function(berth_parts_of target parts)
  set(found)
  set(open ${target})
  while(open)
    list(POP_FRONT open next)
    if(next IN_LIST found OR next IN_LIST BERTH_SDK_HEADERS_ONLY OR next IN_LIST BERTH_SDK_LINKS OR
       next STREQUAL BERTH_NGHTTP2)
      continue()
    endif()
    if(NOT TARGET ${next})
      message(FATAL_ERROR "cmake/BerthSdk.cmake does not know the library ${next}, which Berth::berth needs")
    endif()
    get_target_property(imported ${next} IMPORTED)
    if(imported)
      message(FATAL_ERROR "cmake/BerthSdk.cmake does not know the library ${next}, which Berth::berth needs")
    endif()
    list(APPEND found ${next})
    get_target_property(links ${next} LINK_LIBRARIES)
    if(links)
      list(APPEND open ${links})
    endif()
  endwhile()
  set(${parts} ${found} PARENT_SCOPE)
endfunction()

berth_parts_of(berth_sdk parts)
list(TRANSFORM parts REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE objects)
add_library(berth_archive STATIC ${objects})
set_target_properties(berth_archive PROPERTIES EXPORT_NAME berth OUTPUT_NAME berth LINKER_LANGUAGE CXX)
target_compile_features(berth_archive INTERFACE cxx_std_20)
target_include_directories(berth_archive INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
foreach(library IN ITEMS ${BERTH_SDK_LINKS} Berth::nghttp2)
  target_link_libraries(berth_archive INTERFACE $<INSTALL_INTERFACE:$<LINK_ONLY:${library}>>)
endforeach()

set(BERTH_SDK_FOLDER ${CMAKE_INSTALL_LIBDIR}/cmake/Berth)
install(TARGETS berth_archive EXPORT BerthTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT sdk)
install(EXPORT BerthTargets NAMESPACE Berth:: DESTINATION ${BERTH_SDK_FOLDER} COMPONENT sdk)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/BerthConfig.cmake.in ${PROJECT_BINARY_DIR}/sdk/BerthConfig.cmake
  INSTALL_DESTINATION ${BERTH_SDK_FOLDER})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sdk/BerthConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/sdk/BerthConfig.cmake ${PROJECT_BINARY_DIR}/sdk/BerthConfigVersion.cmake
  DESTINATION ${BERTH_SDK_FOLDER} COMPONENT sdk)
install(CODE "
  set(BERTH_SOURCE_DIR \"${PROJECT_SOURCE_DIR}\")
  set(BERTH_INCLUDE_DIR \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}\")
  include(\"${CMAKE_CURRENT_LIST_DIR}/InstallHeaders.cmake\")" COMPONENT sdk)

# For plugins that are programs of their own.
set(BERTH_SDK_DATA ${CMAKE_INSTALL_DATADIR}/berth/sdk)
install(DIRECTORY sdk/go sdk/python DESTINATION ${BERTH_SDK_DATA} COMPONENT sdk
  REGEX "/(tests|internal|__pycache__|berth|generate\\.sh|\\.gitignore|[a-z]*_test\\.go)$" EXCLUDE)
install(DIRECTORY ${PROJECT_BINARY_DIR}/proto/python/berth DESTINATION ${BERTH_SDK_DATA}/python COMPONENT sdk)
install(FILES proto/berth/plugin/v1/plugin.proto DESTINATION ${BERTH_SDK_DATA}/proto/berth/plugin/v1 COMPONENT sdk)
