# bench/bench_<name>.c is one program in build/<preset>/bench/. Each prints lines of
# "<row><TAB><nanoseconds per operation, median>"; bench/run puts them beside other programs' rows.
# bench_savings counts instead: its figures are also those of docs/cadence.md.
file(GLOB bench_sources CONFIGURE_DEPENDS bench/bench_*.c)
foreach(src IN LISTS bench_sources)
  get_filename_component(exe ${src} NAME_WE)
  add_executable(${exe} ${src})
  target_link_libraries(${exe} PRIVATE hookecore)
  set_target_properties(${exe} PROPERTIES RUNTIME_OUTPUT_DIRECTORY bench)
endforeach()

# The floor of every start: a dynamic program that does nothing.
add_executable(nothing bench/nothing.c)
set_target_properties(nothing PROPERTIES RUNTIME_OUTPUT_DIRECTORY bench)

# The floor of hooke-answer: the same without a loader and, where it can be, without glibc.
add_executable(nothing_static bench/nothing.c)
target_link_options(nothing_static PRIVATE -static)
set_target_properties(nothing_static PROPERTIES RUNTIME_OUTPUT_DIRECTORY bench)
find_program(MUSL_GCC musl-gcc)
if(MUSL_GCC)
  add_custom_command(TARGET nothing_static POST_BUILD VERBATIM
    COMMAND ${MUSL_GCC} -Os -static -s -o $<TARGET_FILE:nothing_static>
      ${CMAKE_CURRENT_SOURCE_DIR}/bench/nothing.c)
endif()

# The child of bench_proc and bench_observe has to be cheap to start, so that what is measured is the starting: static
# and, where musl-gcc is there, made once more without glibc's start-up code.
add_executable(child bench/child.c)
target_link_options(child PRIVATE -static)
set_target_properties(child PROPERTIES RUNTIME_OUTPUT_DIRECTORY bench)
if(MUSL_GCC)
  add_custom_command(TARGET child POST_BUILD VERBATIM
    COMMAND ${MUSL_GCC} -O2 -static -o $<TARGET_FILE:child> ${CMAKE_CURRENT_SOURCE_DIR}/bench/child.c)
endif()
foreach(exe bench_proc bench_observe)
  target_compile_definitions(${exe} PRIVATE BENCH_CHILD="$<TARGET_FILE:child>")
  add_dependencies(${exe} child)
endforeach()

# What bench_resident speaks with.
add_executable(answer bench/answer.c)
set_target_properties(answer PROPERTIES RUNTIME_OUTPUT_DIRECTORY bench)
target_compile_definitions(bench_resident PRIVATE BENCH_ANSWER="$<TARGET_FILE:answer>")
add_dependencies(bench_resident answer)
