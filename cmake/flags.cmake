# One interface target carries every warning, hardening and sanitizer flag.
include(CheckCCompilerFlag)
option(HOOKE_WERROR "warnings are errors (developers and CI, never users)" OFF)
set(HOOKE_SANITIZE "" CACHE STRING "address,undefined or thread or empty")

add_library(hooke_flags INTERFACE)
foreach(flag IN ITEMS
    -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition
    -Wpointer-arith -Wwrite-strings -Wvla -Walloca -Wundef -Wformat=2 -Wdate-time -Wcast-qual
    -Wimplicit-fallthrough -Wduplicated-cond -Wduplicated-branches -Wlogical-op
    -Werror=implicit-function-declaration -Werror=incompatible-pointer-types
    -Werror=int-conversion -Werror=return-type
    -fno-common -fno-strict-aliasing -fstack-protector-strong -fstack-clash-protection)
  string(MAKE_C_IDENTIFIER "HAVE${flag}" have)
  check_c_compiler_flag(${flag} ${have})
  if(${have})
    target_compile_options(hooke_flags INTERFACE ${flag})
  endif()
endforeach()
if(HOOKE_WERROR)
  target_compile_options(hooke_flags INTERFACE -Werror)
endif()
target_compile_definitions(hooke_flags INTERFACE _GNU_SOURCE)
target_link_options(hooke_flags INTERFACE -Wl,-z,relro,-z,now)
if(HOOKE_SANITIZE)
  target_compile_options(hooke_flags INTERFACE
    -fsanitize=${HOOKE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(hooke_flags INTERFACE -fsanitize=${HOOKE_SANITIZE})
elseif(NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
  target_compile_options(hooke_flags INTERFACE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
endif()
