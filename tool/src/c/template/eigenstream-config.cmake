# find_package(eigenstream PATHS <this folder>) gives the target eigenstream::eigenstream.
# A program with a second monitor says include(<other folder>/eigenstream-config.cmake): each folder has a target of its own,
# eigenstream::{{name}} here.
if(NOT TARGET eigenstream::{{name}})
  add_library(eigenstream::{{name}} STATIC IMPORTED)
  set_target_properties(eigenstream::{{name}} PROPERTIES
    IMPORTED_LOCATION "${CMAKE_CURRENT_LIST_DIR}/lib/libeigenstream.a"
    INTERFACE_INCLUDE_DIRECTORIES "${CMAKE_CURRENT_LIST_DIR}/include")
endif()
if(NOT TARGET eigenstream::eigenstream)
  add_library(eigenstream::eigenstream INTERFACE IMPORTED)
  set_target_properties(eigenstream::eigenstream PROPERTIES INTERFACE_LINK_LIBRARIES eigenstream::{{name}})
endif()
