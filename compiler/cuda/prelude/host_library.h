// Host classes of the standard library, as names only. Bodies of host functions are skipped, so all
// that is needed is that declarations parse: parameters, members, variables at namespace scope.
#pragma once

namespace std {

// Constructible from anything, assignable from anything, comparable to nothing.
template <class Tag>
struct __qgpu_host_object {
  __qgpu_host_object() = default;
  template <class... A> __qgpu_host_object(A&&...);
  template <class A> __qgpu_host_object(initializer_list<A>);
};

#define __QGPU_HOST_CLASS(name)                                                                 \
  struct name : __qgpu_host_object<name> {                                                      \
    using __qgpu_host_object<name>::__qgpu_host_object;                                         \
  };
#define __QGPU_HOST_TEMPLATE(name)                                                              \
  template <class... Parts> struct name : __qgpu_host_object<name<Parts...>> {                  \
    using __qgpu_host_object<name<Parts...>>::__qgpu_host_object;                               \
    struct iterator {};                                                                         \
    struct const_iterator {};                                                                   \
    using size_type = size_t;                                                                   \
  };

__QGPU_HOST_CLASS(string) __QGPU_HOST_CLASS(string_view) __QGPU_HOST_CLASS(wstring)
__QGPU_HOST_CLASS(thread) __QGPU_HOST_CLASS(mutex) __QGPU_HOST_CLASS(condition_variable)
__QGPU_HOST_CLASS(random_device) __QGPU_HOST_CLASS(mt19937) __QGPU_HOST_CLASS(mt19937_64)
__QGPU_HOST_CLASS(default_random_engine)
__QGPU_HOST_CLASS(ostream) __QGPU_HOST_CLASS(istream) __QGPU_HOST_CLASS(ofstream)
__QGPU_HOST_CLASS(ifstream) __QGPU_HOST_CLASS(fstream) __QGPU_HOST_CLASS(stringstream)
__QGPU_HOST_CLASS(ostringstream) __QGPU_HOST_CLASS(istringstream)
__QGPU_HOST_TEMPLATE(vector) __QGPU_HOST_TEMPLATE(deque) __QGPU_HOST_TEMPLATE(list)
__QGPU_HOST_TEMPLATE(map) __QGPU_HOST_TEMPLATE(multimap) __QGPU_HOST_TEMPLATE(set)
__QGPU_HOST_TEMPLATE(unordered_map) __QGPU_HOST_TEMPLATE(unordered_set)
__QGPU_HOST_TEMPLATE(queue) __QGPU_HOST_TEMPLATE(priority_queue) __QGPU_HOST_TEMPLATE(stack)
__QGPU_HOST_TEMPLATE(tuple) __QGPU_HOST_TEMPLATE(function) __QGPU_HOST_TEMPLATE(optional)
__QGPU_HOST_TEMPLATE(unique_ptr) __QGPU_HOST_TEMPLATE(shared_ptr) __QGPU_HOST_TEMPLATE(atomic)
__QGPU_HOST_TEMPLATE(allocator) __QGPU_HOST_TEMPLATE(lock_guard) __QGPU_HOST_TEMPLATE(complex)
__QGPU_HOST_TEMPLATE(uniform_int_distribution) __QGPU_HOST_TEMPLATE(uniform_real_distribution)
__QGPU_HOST_TEMPLATE(normal_distribution)

struct exception {
  exception() noexcept;
  virtual ~exception();
  virtual const char* what() const noexcept;
};
#define __QGPU_HOST_EXCEPTION(name)                                                             \
  struct name : exception {                                                                     \
    name(const string& message);                                                                \
  };
__QGPU_HOST_EXCEPTION(runtime_error) __QGPU_HOST_EXCEPTION(logic_error)
__QGPU_HOST_EXCEPTION(invalid_argument) __QGPU_HOST_EXCEPTION(out_of_range)
struct bad_alloc : exception {};

extern ostream cout, cerr, clog;
extern istream cin;

namespace chrono {
__QGPU_HOST_CLASS(system_clock) __QGPU_HOST_CLASS(steady_clock)
__QGPU_HOST_CLASS(high_resolution_clock) __QGPU_HOST_CLASS(milliseconds)
__QGPU_HOST_TEMPLATE(duration) __QGPU_HOST_TEMPLATE(time_point)
}  // namespace chrono

#undef __QGPU_HOST_EXCEPTION
#undef __QGPU_HOST_TEMPLATE
#undef __QGPU_HOST_CLASS

}  // namespace std

struct FILE;
extern FILE *stdin, *stdout, *stderr;
extern "C" __host__ int fprintf(FILE* stream, const char* format, ...);
extern "C" __host__ int rand();
extern "C" __host__ void srand(unsigned int seed);
extern "C" __host__ void exit(int status);
extern "C" __host__ int atoi(const char* text);
extern "C" __host__ char* getenv(const char* name);
