# Links LLVM and MLIR into a shared library from their static archives, for
# machines that have no LLVM. All archives are offered; the linker takes the
# members that are needed. The archives of which tools use more than the
# library does are taken whole, unless a file with linker arguments names what
# tools use.
function(coil_link_static_llvm target)
  file(GLOB archives ${LLVM_LIBRARY_DIR}/libMLIR*.a ${LLVM_LIBRARY_DIR}/libLLVM*.a)
  list(FILTER archives EXCLUDE REGEX "Test|MLIRMlirOptMain|MLIRCAPI|BOLT|Exegesis|Debuginfod")
  if(ARGN)
    target_link_libraries(${target} PRIVATE
      -Wl,@${ARGN}
      -Wl,--start-group ${archives} -Wl,--end-group
      -Wl,-Bstatic z zstd -Wl,-Bdynamic ${CMAKE_DL_LIBS} pthread m)
    target_link_options(${target} PRIVATE LINKER:--gc-sections)
    return()
  endif()
  set(whole)
  foreach(name MLIROptLib MLIRLspServerLib MLIRReduceLib
      MLIRReduce MLIRTranslateLib MLIRPass MLIRIR MLIRSupport MLIRPluginsLib)
    if(EXISTS ${LLVM_LIBRARY_DIR}/lib${name}.a)
      list(APPEND whole ${LLVM_LIBRARY_DIR}/lib${name}.a)
      list(REMOVE_ITEM archives ${LLVM_LIBRARY_DIR}/lib${name}.a)
    endif()
  endforeach()
  target_link_libraries(${target} PRIVATE
    -Wl,--whole-archive ${whole} -Wl,--no-whole-archive
    -Wl,--start-group ${archives} -Wl,--end-group
    z zstd ${CMAKE_DL_LIBS} pthread m)
  target_link_options(${target} PRIVATE LINKER:--gc-sections)
endfunction()
