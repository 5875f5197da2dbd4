// The character tests of <ctype.h>, for ASCII.
#pragma once
#pragma clang system_header

__qgpu_device int isdigit(int c) { return (unsigned)c - '0' < 10u; }
__qgpu_device int islower(int c) { return (unsigned)c - 'a' < 26u; }
__qgpu_device int isupper(int c) { return (unsigned)c - 'A' < 26u; }
__qgpu_device int isalpha(int c) { return ((unsigned)c | 32) - 'a' < 26u; }
__qgpu_device int isalnum(int c) { return isalpha(c) || isdigit(c); }
__qgpu_device int isspace(int c) { return c == ' ' || (unsigned)c - '\t' < 5u; }
__qgpu_device int tolower(int c) { return isupper(c) ? c + 32 : c; }
__qgpu_device int toupper(int c) { return islower(c) ? c - 32 : c; }
