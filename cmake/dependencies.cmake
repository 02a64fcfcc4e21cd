# Third-party libraries come from their static archives: as shared objects they make every start
# of the program half as slow again, and `hooke` is started once per hook event.
find_package(Threads REQUIRED)
add_library(hooke_deps INTERFACE)
foreach(name IN ITEMS libfyaml liblua5.4 libpcre2-8 libsqlite3 libsodium)
  find_library(HOOKE_${name} NAMES ${name}.a)
  if(NOT HOOKE_${name})
    message(FATAL_ERROR "${name}.a not found: run scripts/bootstrap")
  endif()
  target_link_libraries(hooke_deps INTERFACE ${HOOKE_${name}})
endforeach()
# libc before libm: what is in both does not make a program need the second.
target_link_libraries(hooke_deps INTERFACE Threads::Threads c m ${CMAKE_DL_LIBS})
