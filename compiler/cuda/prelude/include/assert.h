// <assert.h>: may be included again after NDEBUG has changed.
#pragma clang system_header

#undef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) ((condition) ? (void)0 : __trap())
#endif
