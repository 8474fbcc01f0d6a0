# Every library of the project is an object library, collected into libCoil.so.
#
#   add_coil_library(name sources...
#     DEPENDS   <tablegen targets>
#     LINK_LIBS <own libraries>
#     MLIR_LIBS <MLIR libraries>)
#
# MLIR libraries never go into LINK_LIBS: that would link static archives next
# to libMLIR.so without a warning.
function(add_coil_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK_LIBS;MLIR_LIBS" ${ARGN})
  add_mlir_library(${name} ${ARG_UNPARSED_ARGUMENTS} DISABLE_INSTALL
    DEPENDS ${ARG_DEPENDS}
    LINK_LIBS PUBLIC ${ARG_LINK_LIBS})
  mlir_target_link_libraries(${name} PUBLIC ${ARG_MLIR_LIBS})
  if(TARGET coil_pch AND TARGET obj.${name})
    target_precompile_headers(obj.${name} REUSE_FROM coil_pch)
  endif()
  set_property(GLOBAL APPEND PROPERTY COIL_OBJECTS $<TARGET_OBJECTS:obj.${name}>)
endfunction()

# What runs compiled programs: objects of libCoil.so, and of libcoil_loader.so
# (lib/Loader), which has them without the compiler. They use headers of LLVM
# alone, not MLIR, so they do without the precompiled header.
#
#   add_coil_loader_library(name sources...)
function(add_coil_loader_library name)
  add_library(obj.${name} OBJECT ${ARGN})
  llvm_update_compile_flags(obj.${name})
  set_target_properties(obj.${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_compile_options(obj.${name} PRIVATE -ffunction-sections -fdata-sections)
  add_library(${name} INTERFACE)
  set_property(GLOBAL APPEND PROPERTY COIL_LOADER_OBJECTS $<TARGET_OBJECTS:obj.${name}>)
  # The other libraries of the directory do not have these files.
  set(LLVM_OPTIONAL_SOURCES ${LLVM_OPTIONAL_SOURCES} ${ARGN} PARENT_SCOPE)
endfunction()

# Where tools and libraries look for libMLIR.so, after their own directory.
if(NOT COIL_STATIC_LLVM)
  set(COIL_LLVM_RPATH ":${LLVM_LIBRARY_DIR}")
endif()

# A tool links libCoil.so and nothing else of ours.
function(add_coil_tool name)
  if(COIL_STATIC_LLVM)
    add_llvm_executable(${name} DISABLE_LLVM_LINK_LLVM_DYLIB ${ARGN})
  else()
    add_llvm_executable(${name} ${ARGN})
  endif()
  target_link_libraries(${name} PRIVATE Coil)
  set_target_properties(${name} PROPERTIES
    INSTALL_RPATH "$ORIGIN/../lib${COIL_LLVM_RPATH}")
  install(TARGETS ${name} RUNTIME DESTINATION bin)
endfunction()

# A plugin of Coil: a library that tools load, which links libCoil.so and
# nothing of LLVM itself.
function(add_coil_plugin name)
  add_library(${name} MODULE ${ARGN})
  set_target_properties(${name} PROPERTIES
    PREFIX ""
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  target_link_libraries(${name} PRIVATE Coil::Coil)
endfunction()
