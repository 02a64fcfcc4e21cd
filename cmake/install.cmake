# What `make install` puts in place: program, static library, header, pkg-config file, manual pages,
# completions, units of the daemon, recipes (to be read and copied: the program has them inside);
# cmake/answer.cmake adds hooke-answer.
#
# libhooke.a is one relocatable object whose hidden symbols were made local, so that an embedding
# program sees hooke_* and nothing else of ours.
set(libhooke ${CMAKE_CURRENT_BINARY_DIR}/libhooke.a)
add_custom_command(OUTPUT ${libhooke}
  COMMAND ${CMAKE_LINKER} -r -o libhooke.o --whole-archive $<TARGET_FILE:hookecore>
  COMMAND ${CMAKE_OBJCOPY} --localize-hidden libhooke.o
  COMMAND ${CMAKE_COMMAND} -E rm -f ${libhooke}
  COMMAND ${CMAKE_AR} rcs ${libhooke} libhooke.o
  DEPENDS hookecore VERBATIM)
add_custom_target(libhooke ALL DEPENDS ${libhooke})

# The prefix is found from the file itself, so the tree may be installed or moved anywhere.
file(RELATIVE_PATH HOOKE_PREFIX_FROM_PC /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/hooke.pc.in hooke.pc @ONLY)
install(TARGETS hooke)
install(FILES ${libhooke} DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/hooke DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/hooke.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES share/man/hooke.1 share/man/hooke-answer.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
# Under share/ the user's own service manager looks for units with any of the usual prefixes, also
# ~/.local; it does not look for programs there, so the unit names its program in full.
install(FILES share/systemd/hooke.socket DESTINATION ${CMAKE_INSTALL_DATADIR}/systemd/user)
install(CODE "
  set(HOOKE_PROGRAM \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/hooke\")
  configure_file(\"${CMAKE_CURRENT_SOURCE_DIR}/share/systemd/hooke.service.in\"
    \"${CMAKE_CURRENT_BINARY_DIR}/hooke.service\" @ONLY)")
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/hooke.service
  DESTINATION ${CMAKE_INSTALL_DATADIR}/systemd/user)
install(FILES share/completions/hooke.bash
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME hooke)
install(FILES share/completions/_hooke DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES share/completions/hooke.fish
  DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(DIRECTORY recipes DESTINATION ${CMAKE_INSTALL_DATADIR}/hooke)
