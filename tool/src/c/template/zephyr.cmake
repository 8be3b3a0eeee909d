# Headers and archive for a Zephyr application.
zephyr_include_directories(${CMAKE_CURRENT_LIST_DIR}/../include)
zephyr_library_import(eigenstream_{{name}} ${CMAKE_CURRENT_LIST_DIR}/../lib/libeigenstream.a)
