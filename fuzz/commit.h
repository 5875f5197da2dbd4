// The commit that this build is made of; ci/cmake/commit.cmake writes the values into the build.
#pragma once

namespace qgpu::fuzz {

extern const char* const kCommit;  // git's hash of it; empty where git does not know the tree
extern const bool kIsAltered;      // files differ from the commit, or there is none

}  // namespace qgpu::fuzz
