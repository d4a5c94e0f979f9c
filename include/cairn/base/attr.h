/* Attributes that say in a prototype what the compiler can check. */
#ifndef CAIRN_BASE_ATTR_H
#define CAIRN_BASE_ATTR_H

#define must_check        __attribute__((warn_unused_result))
#define nonnull_args(...) __attribute__((nonnull(__VA_ARGS__)))
#define printf_like(f, a) __attribute__((format(printf, f, a)))
#define noreturn_fn       __attribute__((noreturn))

#endif
