# Install tree: library, headers, modules, programs, find_package(halocline) and pkg-config.
