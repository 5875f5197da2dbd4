# Says in a source file which commit a build is made of. Run by the build itself, each time:
#   cmake -DSOURCE=tree -DOUT=commit.cc -P commit.cmake
# The file is touched only when what it says has changed, so that nothing is compiled for nothing.
find_program(git git)
set(commit "")
set(altered 1)
if(git)
  execute_process(COMMAND ${git} -C ${SOURCE} rev-parse HEAD
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(failed)
    set(commit "")
  else()
    execute_process(COMMAND ${git} -C ${SOURCE} status --porcelain --untracked-files=no
      OUTPUT_VARIABLE changes ERROR_QUIET RESULT_VARIABLE failed)
    if(NOT failed AND changes STREQUAL "")
      set(altered 0)
    endif()
  endif()
endif()
file(CONFIGURE OUTPUT ${OUT} CONTENT [[
#include "fuzz/commit.h"

namespace qgpu::fuzz {
const char* const kCommit = "@commit@";
const bool kIsAltered = @altered@;
}  // namespace qgpu::fuzz
]] @ONLY)
