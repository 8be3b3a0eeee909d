# find_package(eigenstream PATHS <this folder>) gives the target eigenstream::eigenstream.
add_library(eigenstream::eigenstream STATIC IMPORTED)
set_target_properties(eigenstream::eigenstream PROPERTIES
  IMPORTED_LOCATION "${CMAKE_CURRENT_LIST_DIR}/lib/libeigenstream.a"
  INTERFACE_INCLUDE_DIRECTORIES "${CMAKE_CURRENT_LIST_DIR}/include")
