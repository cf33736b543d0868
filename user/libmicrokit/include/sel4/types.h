/* Words, capability pointers and thread registers. Numbers with names come from <limen/abi.h>. */
#ifndef SEL4_TYPES_H
#define SEL4_TYPES_H

#include <autoconf.h>
#include <limen/abi.h>
#include <limen/arch.h>

typedef signed char seL4_Int8;
typedef unsigned char seL4_Uint8;
typedef signed short seL4_Int16;
typedef unsigned short seL4_Uint16;
typedef signed int seL4_Int32;
typedef unsigned int seL4_Uint32;
typedef signed long seL4_Int64;
typedef unsigned long seL4_Uint64;

/* A machine word. Programs print it with %lu. */
typedef unsigned long seL4_Word;
#define seL4_WordBits 64

typedef seL4_Int8 seL4_Bool;
#define seL4_True 1
#define seL4_False 0

/* The address of a capability in the program's capability space. */
typedef seL4_Word seL4_CPtr;
#define seL4_CapNull 0

typedef seL4_CPtr seL4_CNode;
typedef seL4_CPtr seL4_IRQHandler;
typedef seL4_CPtr seL4_SchedContext;
typedef seL4_CPtr seL4_SchedControl;
typedef seL4_CPtr seL4_TCB;

typedef seL4_Word seL4_NodeId;
typedef seL4_Word seL4_Time;

/* The older name of the highest user address. */
#define seL4_UserTop seL4_UserVSpaceTop

/* A thread's registers, in the order in which the register methods read and write them. */
#define LIMEN_DECLARE_REGISTER(name) seL4_Word name;
typedef struct seL4_UserContext_ {
    LIMEN_FOR_EACH_REGISTER(LIMEN_DECLARE_REGISTER)
} seL4_UserContext;
#undef LIMEN_DECLARE_REGISTER

#define LIMEN_CONTEXT_WORDS (sizeof(seL4_UserContext) / sizeof(seL4_Word))

/* The header of boot information in a prefilled memory region. `len` includes the header. */
typedef struct seL4_BootInfoHeader {
    seL4_Word id;
    seL4_Word len;
} seL4_BootInfoHeader;

/* Casts that C++ compilers accept with -Wold-style-cast: between numbers, and to or from an address. */
#ifdef __cplusplus
#define LIMEN_VALUE(type, value) static_cast<type>(value)
#define LIMEN_ADDRESS(type, value) reinterpret_cast<type>(value)
#else
#define LIMEN_VALUE(type, value) ((type)(value))
#define LIMEN_ADDRESS(type, value) ((type)(value))
#endif

/* For the few functions that must be inlined even without optimisation, because they keep message words in registers. */
#define LIMEN_INLINE static inline __attribute__((always_inline))

#endif /* SEL4_TYPES_H */
