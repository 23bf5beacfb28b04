# What `cmake --install` installs besides the SDK (BerthSdk.cmake), and the Debian packages, from the folder of a build:
#   berth      cmake --build . --target berth && cpack
#   berth-dev  cmake --build . --target berth_archive && cpack --config CPackSdkConfig.cmake
include(GNUInstallDirs)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME runtime)

install(TARGETS berth RUNTIME)
# The link that the build leaves beside berth.
install(FILES ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/kube-scheduler DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES deploy/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/deploy)  # the guides lead there
install(DIRECTORY deploy/base deploy/overlays deploy/manifests deploy/helm deploy/kubeadm deploy/monitoring
  DESTINATION ${CMAKE_INSTALL_DATADIR}/berth)

# Outside the prefix, and therefore for packages only.
foreach(file IN ITEMS etc/berth/scheduler.yaml usr/lib/systemd/system/berth-scheduler.service)
  cmake_path(GET file PARENT_PATH folder)
  install(FILES deploy/debian/${file} DESTINATION ${folder} COMPONENT debian EXCLUDE_FROM_ALL)
endforeach()
install(FILES deploy/debian/copyright DESTINATION usr/share/doc/berth COMPONENT debian EXCLUDE_FROM_ALL)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR Berth)
set(CPACK_PACKAGE_CONTACT "The Berth authors <berth@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)

block()
  set(CPACK_PACKAGE_NAME berth)
  set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "general-purpose scheduler that decides as kube-scheduler does")
  set(CPACK_PACKAGE_DESCRIPTION "Berth places pods exactly as kube-scheduler v1.36 does, over every node of a cluster.
It takes kube-scheduler's flags when called kube-scheduler, and answers questions
about clusters: where pods would go, and why they stay pending.")
  set(CPACK_INSTALL_CMAKE_PROJECTS "${PROJECT_BINARY_DIR};berth;runtime;/usr;${PROJECT_BINARY_DIR};berth;debian;/")
  set(CPACK_DEBIAN_PACKAGE_SECTION admin)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/deploy/debian/conffiles
    ${PROJECT_SOURCE_DIR}/deploy/debian/postinst ${PROJECT_SOURCE_DIR}/deploy/debian/prerm ${PROJECT_SOURCE_DIR}/deploy/debian/postrm)
  set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
  include(CPack)
endblock()

# The SDK is a package of its own, so that the other stays small.
block()
  set(CPACK_OUTPUT_CONFIG_FILE ${PROJECT_BINARY_DIR}/CPackSdkConfig.cmake)
  set(CPACK_PACKAGE_NAME berth-dev)
  set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "headers and library for schedulers with plugins of their own")
  set(CPACK_PACKAGE_DESCRIPTION "A plugin for Berth is a C++ class in a program of its own, which has every command of
berth. CMake's find_package(Berth) finds what such a program is built with.")
  set(CPACK_INSTALL_CMAKE_PROJECTS "${PROJECT_BINARY_DIR};berth;sdk;/usr")
  set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
  list(JOIN BERTH_SDK_PACKAGES ", " CPACK_DEBIAN_PACKAGE_DEPENDS)
  include(CPack)
endblock()
