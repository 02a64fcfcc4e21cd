# tests/unit/<dir>/test_<module>.c is one cmocka program and one ctest entry named <dir>/<module>.
# tests/fuzz/fuzz_<name>.c is a libFuzzer target where clang builds it (`make fuzz`) and, in every
# build, a ctest entry fuzz/<name> that replays tests/fuzz/corpus/<name>/.
# tests/e2e/test_*.py run the built program; one ctest entry per file.
enable_testing()
find_library(CMOCKA cmocka)
find_program(PYTHON3 NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
if(NOT CMOCKA)
  message(STATUS "cmocka not found: tests are left out (scripts/bootstrap installs it)")
  return()
endif()

# Examples are built with the rest so that they cannot rot; a test builds them as users do.
file(GLOB example_sources CONFIGURE_DEPENDS examples/*/*.c)
foreach(src IN LISTS example_sources)
  get_filename_component(name ${src} NAME_WE)
  add_executable(example_${name} ${src})
  target_link_libraries(example_${name} PRIVATE hookecore)
  set_target_properties(example_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY examples)
endforeach()

# What the tests of src/proc start. Without sanitizers: it is to misbehave, and sixty-four at once.
add_executable(fake_child tests/helpers/fake_child.c)
target_compile_definitions(fake_child PRIVATE _GNU_SOURCE)
target_compile_options(fake_child PRIVATE -Wall -Wextra)
set_target_properties(fake_child PROPERTIES RUNTIME_OUTPUT_DIRECTORY tests)
add_executable(fake_resident tests/helpers/fake_resident.c)
target_compile_definitions(fake_resident PRIVATE _GNU_SOURCE)
target_compile_options(fake_resident PRIVATE -Wall -Wextra)
set_target_properties(fake_resident PROPERTIES RUNTIME_OUTPUT_DIRECTORY tests)

file(GLOB_RECURSE unit_sources CONFIGURE_DEPENDS tests/unit/*/test_*.c)
foreach(src IN LISTS unit_sources)
  get_filename_component(exe ${src} NAME_WE)
  get_filename_component(dir ${src} DIRECTORY)
  get_filename_component(dir ${dir} NAME)
  string(REGEX REPLACE "^test_" "" module ${exe})
  set(exe test_${dir}_${module})
  add_executable(${exe} ${src})
  target_include_directories(${exe} PRIVATE tests/lib)
  target_compile_definitions(${exe} PRIVATE HOOKE_SOURCE_DIR="${CMAKE_CURRENT_SOURCE_DIR}")
  target_link_libraries(${exe} PRIVATE hookecore ${CMOCKA})
  set_target_properties(${exe} PROPERTIES RUNTIME_OUTPUT_DIRECTORY tests)
  if(dir MATCHES "^(proc|runner)$")
    target_compile_definitions(${exe} PRIVATE FAKE_CHILD="$<TARGET_FILE:fake_child>"
      FAKE_RESIDENT="$<TARGET_FILE:fake_resident>")
    add_dependencies(${exe} fake_child fake_resident)
  endif()
  add_test(NAME ${dir}/${module} COMMAND ${exe})
  set_tests_properties(${dir}/${module} PROPERTIES TIMEOUT 120 LABELS unit)
endforeach()

file(GLOB fuzz_sources CONFIGURE_DEPENDS tests/fuzz/fuzz_*.c)
foreach(src IN LISTS fuzz_sources)
  get_filename_component(exe ${src} NAME_WE)
  string(REGEX REPLACE "^fuzz_" "" name ${exe})
  add_executable(replay_${name} ${src} tests/fuzz/replay.c)
  target_link_libraries(replay_${name} PRIVATE hookecore)
  set_target_properties(replay_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY tests)
  add_test(NAME fuzz/${name}
    COMMAND replay_${name} ${CMAKE_CURRENT_SOURCE_DIR}/tests/fuzz/corpus/${name})
  set_tests_properties(fuzz/${name} PROPERTIES TIMEOUT 120 LABELS fuzz)
endforeach()

file(GLOB e2e_sources CONFIGURE_DEPENDS tests/e2e/test_*.py)
foreach(src IN LISTS e2e_sources)
  get_filename_component(module ${src} NAME_WE)
  string(REGEX REPLACE "^test_" "" module ${module})
  add_test(NAME e2e/${module} COMMAND ${PYTHON3} -m pytest -q -p no:cacheprovider ${src})
  set_tests_properties(e2e/${module} PROPERTIES TIMEOUT 600 LABELS e2e
    ENVIRONMENT "HOOKE=$<TARGET_FILE:hooke>;HOOKE_BUILD=${CMAKE_BINARY_DIR};PYTHONDONTWRITEBYTECODE=1")
endforeach()
