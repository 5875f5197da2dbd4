# How this project declares its targets: one line each for a library, a test and a benchmark.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)

find_program(QGPU_CCACHE ccache)
if(QGPU_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${QGPU_CCACHE})
endif()

# Exactness: no value-changing float optimisation, and no fused multiply-add behind our back, which
# would make two spellings of one formula differ in the last bit.
add_compile_options(-Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -ffp-contract=off)
# False alarms of g++ 12 about inlined std::string (its bug 105651) and fmt 9.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  add_compile_options(-Wno-restrict -Wno-stringop-overflow)
endif()
# Meant for headers: g++ takes for one what CMAKE_UNITY_BUILD includes.
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-Wno-subobject-linkage)
endif()
# Asserts stay on in every build.
string(REPLACE "-DNDEBUG" "" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")
string(REPLACE "-DNDEBUG" "" CMAKE_CXX_FLAGS_RELWITHDEBINFO "${CMAKE_CXX_FLAGS_RELWITHDEBINFO}")

if(QGPU_SANITIZE)
  add_compile_options(-fsanitize=${QGPU_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${QGPU_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")  # as g++ says it
    if(QGPU_SANITIZE MATCHES "address")
      add_compile_definitions(__SANITIZE_ADDRESS__)
    elseif(QGPU_SANITIZE MATCHES "thread")
      add_compile_definitions(__SANITIZE_THREAD__)
    endif()
  endif()
endif()

if(QGPU_FUZZERS)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "libFuzzer comes with clang: use the preset sanitize")
  endif()
  add_custom_target(fuzz_targets)
endif()

# qgpu_alone(a.cc ...): sources that the presets with CMAKE_UNITY_BUILD, which compile several at
# once, must not put together with others: their local names are others' names too.
function(qgpu_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# qgpu_library(NAME SOURCES a.cc ... [DEPS lib ...]): a static library of this repository.
# Headers are included by their path from the repository's root.
function(qgpu_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPS" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PUBLIC ${arg_DEPS} tl::expected fmt::fmt)
  if(QGPU_FUZZERS)
    target_compile_options(${name} PRIVATE -fsanitize=fuzzer-no-link)  # libFuzzer sees which ways were taken
  endif()
endfunction()

# qgpu_test(NAME SOURCES a_test.cc ... [DEPS lib ...] [TIMEOUT s] [COST s]): a GoogleTest program, one ctest
# entry for each of its tests, with NAME as their label. Tests that take long say so by COST: ctest
# starts the costliest first, so that none of them is left over at the end.
# With AddressSanitizer, starting a program takes longer than most tests: an entry is then a program.
function(qgpu_test name)
  if(NOT QGPU_TESTS)
    return()
  endif()
  cmake_parse_arguments(arg "" "TIMEOUT;COST" "SOURCES;DEPS" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  if(NOT arg_COST)
    set(arg_COST 0)
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${arg_DEPS} GTest::gtest_main GTest::gmock rapidcheck rapidcheck_gtest)
  target_compile_definitions(${name} PRIVATE QGPU_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  if(QGPU_SANITIZE)
    target_compile_options(${name} PRIVATE -O0)  # instrumented test sources take half the time to compile
  endif()
  set(properties TIMEOUT ${arg_TIMEOUT} COST ${arg_COST} LABELS ${name})
  if(QGPU_SANITIZE MATCHES "address")
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES ${properties} TIMEOUT 1200)
  else()
    include(GoogleTest)
    gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 120 PROPERTIES ${properties})
  endif()
endfunction()

# qgpu_benchmark(NAME SOURCES a_bench.cc ... [DEPS lib ...]): a Google Benchmark program; never a test.
function(qgpu_benchmark name)
  if(NOT QGPU_BENCHMARKS)
    return()
  endif()
  cmake_parse_arguments(arg "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${arg_DEPS} benchmark::benchmark_main)
  target_compile_definitions(${name} PRIVATE QGPU_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
endfunction()

# qgpu_fuzzer(NAME SOURCES a_fuzzer.cc ... [DEPS lib ...]): a libFuzzer program, in the preset sanitize only. Its seeds
# are in fuzz/corpus/NAME. `ci/fuzz-short` runs each for a few seconds and prints what it finds.
function(qgpu_fuzzer name)
  if(NOT QGPU_FUZZERS)
    return()
  endif()
  cmake_parse_arguments(arg "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} EXCLUDE_FROM_ALL ${arg_SOURCES} ${PROJECT_SOURCE_DIR}/interpreter/base/keep_finding.cc)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${arg_DEPS} qgpu_base)
  target_compile_options(${name} PRIVATE -fsanitize=fuzzer-no-link)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  add_dependencies(fuzz_targets ${name})
endfunction()
