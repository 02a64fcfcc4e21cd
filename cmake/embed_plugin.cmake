# cmake -DOUT=FILE -DDIR=adapters/opencode -P embed_plugin.cmake: the modules of the OpenCode plugin as one
# text in C, which `hooke install opencode` writes: a folder of plugins is no place for modules that are none.
# Modules are put behind each other without their words for one another, so no two may use one name at top level.
set(modules sessions messages connection host bus plugin)
file(GLOB found RELATIVE ${DIR}/lib ${DIR}/lib/*.js)
list(LENGTH found found_count)
list(LENGTH modules module_count)
if(NOT found_count EQUAL module_count)
  message(FATAL_ERROR "cmake/embed_plugin.cmake does not name all modules of ${DIR}/lib: ${found}")
endif()
set(text "")
foreach(module IN LISTS modules)
  file(READ ${DIR}/lib/${module}.js one)
  string(REGEX REPLACE "\nimport [^\n]* from \"\\./[^\n]*" "" one "\n${one}")
  string(REGEX REPLACE "\nexport " "\n" one "${one}")
  string(APPEND text "\n/* lib/${module}.js */${one}")
endforeach()
file(WRITE ${OUT}.js "${text}")
file(READ ${OUT}.js bytes HEX)
string(LENGTH "${bytes}" digits)
math(EXPR size "${digits} / 2")
string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1, " bytes "${bytes}")
file(WRITE ${OUT} "/* Made from adapters/opencode by cmake/embed_plugin.cmake. */\n#include \"cli/plugin_file.h\"\n\n"
  "static const unsigned char text[] = {\n${bytes}0\n};\n\n"
  "const struct str plugin_module = { (const char *)text, ${size} };\n")
