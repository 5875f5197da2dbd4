// The string functions of <string.h> that a kernel can use; copying and filling memory is built in.
#pragma once
#pragma clang system_header

__qgpu_device size_t strlen(const char* text) {
  size_t length = 0;
  while (text[length] != 0) ++length;
  return length;
}
__qgpu_device int strncmp(const char* a, const char* b, size_t limit) {
  for (size_t i = 0; i < limit; ++i) {
    if (a[i] != b[i]) return (unsigned char)a[i] < (unsigned char)b[i] ? -1 : 1;
    if (a[i] == 0) break;
  }
  return 0;
}
__qgpu_device int strcmp(const char* a, const char* b) { return strncmp(a, b, SIZE_MAX); }
__qgpu_device int memcmp(const void* a, const void* b, size_t bytes) {
  const unsigned char *p = (const unsigned char*)a, *q = (const unsigned char*)b;
  for (size_t i = 0; i < bytes; ++i)
    if (p[i] != q[i]) return p[i] < q[i] ? -1 : 1;
  return 0;
}
__qgpu_device char* strcpy(char* to, const char* from) {
  size_t i = 0;
  for (; from[i] != 0; ++i) to[i] = from[i];
  to[i] = 0;
  return to;
}
