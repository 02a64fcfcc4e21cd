# hooke-answer is started once for every event of an agent, so what counts is how soon it runs: made
# with musl it starts ten times as fast as any program of glibc's, static or not.
find_program(MUSL_GCC musl-gcc)
set(answer_source ${CMAKE_CURRENT_SOURCE_DIR}/src/answer/answer.c)
if(MUSL_GCC)
  set(hooke_answer ${CMAKE_CURRENT_BINARY_DIR}/hooke-answer)
  add_custom_command(OUTPUT ${hooke_answer} VERBATIM
    COMMAND ${MUSL_GCC} -std=gnu17 -D_GNU_SOURCE "-DHOOKE_VERSION=\"${PROJECT_VERSION}\""
      -Wall -Wextra -Werror -Os -static -s -fno-asynchronous-unwind-tables
      -I${CMAKE_CURRENT_SOURCE_DIR}/src -o ${hooke_answer} ${answer_source}
    DEPENDS ${answer_source} ${CMAKE_CURRENT_SOURCE_DIR}/src/base/handover.h)
  add_custom_target(hooke_answer ALL DEPENDS ${hooke_answer})
  install(PROGRAMS ${hooke_answer} TYPE BIN)
else()
  message(STATUS "musl-gcc not found: hooke-answer is made with glibc and starts slower "
    "(scripts/bootstrap installs it)")
  add_executable(hooke_answer ${answer_source})
  set_target_properties(hooke_answer PROPERTIES OUTPUT_NAME hooke-answer)
  target_include_directories(hooke_answer PRIVATE src)
  target_compile_definitions(hooke_answer PRIVATE _GNU_SOURCE HOOKE_VERSION="${PROJECT_VERSION}")
  target_link_options(hooke_answer PRIVATE -static)
  install(TARGETS hooke_answer)
endif()

# Whatever makes the program, its source is checked like the rest.
add_library(hooke_answer_check OBJECT ${answer_source})
target_include_directories(hooke_answer_check PRIVATE src)
target_compile_definitions(hooke_answer_check PRIVATE HOOKE_VERSION="${PROJECT_VERSION}")
target_link_libraries(hooke_answer_check PRIVATE hooke_flags)
