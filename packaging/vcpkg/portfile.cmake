# SPDX-License-Identifier: BSD-3-Clause
# The library alone, from the clone that has this file:
#   vcpkg install --overlay-ports=packaging/vcpkg levelcl
set(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../..")

vcpkg_configure_meson(
    SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS
        -Dtests=false
        -Dtools=false
        -Dbzip2=disabled
        -Dclblast=disabled
        -Dmpi=disabled
        -Dpetsc=disabled
        -Dsuitesparse=disabled
        -Dzstd=enabled
)
vcpkg_install_meson()
vcpkg_fixup_pkgconfig()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/levelcl)
file(REMOVE_RECURSE
    "${CURRENT_PACKAGES_DIR}/debug/include"
    "${CURRENT_PACKAGES_DIR}/debug/share"
)
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
