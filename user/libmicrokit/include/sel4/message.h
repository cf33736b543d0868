/* Messages: the message info word, and the IPC buffer that holds the message words.
 *
 * The first four words of a message travel in registers, the rest in the buffer. The system calls of
 * <sel4/syscalls.h> keep the first four in the buffer as well, so that seL4_GetMR and seL4_SetMR see all of them. */
#ifndef SEL4_MESSAGE_H
#define SEL4_MESSAGE_H

#include <sel4/types.h>

/* Length, extraCaps, capsUnwrapped and label, lowest bits first. */
typedef struct seL4_MessageInfo {
    seL4_Word words[1];
} seL4_MessageInfo_t;

#define LIMEN_INFO_EXTRA_CAPS_SHIFT seL4_MsgLengthBits
#define LIMEN_INFO_CAPS_UNWRAPPED_SHIFT (seL4_MsgLengthBits + seL4_MsgExtraCapBits)
#define LIMEN_INFO_LABEL_BITS (seL4_WordBits - LIMEN_INFO_LABEL_SHIFT)

/* The lowest `bits` bits; 0 < bits < 64. */
#define LIMEN_LOW_BITS(bits) ((1ul << (bits)) - 1)

LIMEN_INLINE seL4_Word limen_info_field(seL4_MessageInfo_t info, unsigned int shift, unsigned int bits)
{
    return (info.words[0] >> shift) & LIMEN_LOW_BITS(bits);
}

LIMEN_INLINE seL4_MessageInfo_t limen_info_with(seL4_MessageInfo_t info, unsigned int shift, unsigned int bits,
                                                seL4_Word value)
{
    seL4_Word mask = LIMEN_LOW_BITS(bits) << shift;
    info.words[0] = (info.words[0] & ~mask) | ((value << shift) & mask);
    return info;
}

static inline seL4_Word seL4_MessageInfo_get_label(seL4_MessageInfo_t info)
{
    return limen_info_field(info, LIMEN_INFO_LABEL_SHIFT, LIMEN_INFO_LABEL_BITS);
}

static inline seL4_Word seL4_MessageInfo_get_capsUnwrapped(seL4_MessageInfo_t info)
{
    return limen_info_field(info, LIMEN_INFO_CAPS_UNWRAPPED_SHIFT, LIMEN_INFO_CAPS_UNWRAPPED_BITS);
}

static inline seL4_Word seL4_MessageInfo_get_extraCaps(seL4_MessageInfo_t info)
{
    return limen_info_field(info, LIMEN_INFO_EXTRA_CAPS_SHIFT, seL4_MsgExtraCapBits);
}

static inline seL4_Word seL4_MessageInfo_get_length(seL4_MessageInfo_t info)
{
    return limen_info_field(info, 0, seL4_MsgLengthBits);
}

static inline seL4_MessageInfo_t seL4_MessageInfo_set_label(seL4_MessageInfo_t info, seL4_Word label)
{
    return limen_info_with(info, LIMEN_INFO_LABEL_SHIFT, LIMEN_INFO_LABEL_BITS, label);
}

static inline seL4_MessageInfo_t seL4_MessageInfo_set_capsUnwrapped(seL4_MessageInfo_t info, seL4_Word caps)
{
    return limen_info_with(info, LIMEN_INFO_CAPS_UNWRAPPED_SHIFT, LIMEN_INFO_CAPS_UNWRAPPED_BITS, caps);
}

static inline seL4_MessageInfo_t seL4_MessageInfo_set_extraCaps(seL4_MessageInfo_t info, seL4_Word caps)
{
    return limen_info_with(info, LIMEN_INFO_EXTRA_CAPS_SHIFT, seL4_MsgExtraCapBits, caps);
}

static inline seL4_MessageInfo_t seL4_MessageInfo_set_length(seL4_MessageInfo_t info, seL4_Word length)
{
    return limen_info_with(info, 0, seL4_MsgLengthBits, length);
}

/* Values too wide for their field lose their upper bits. */
static inline seL4_MessageInfo_t seL4_MessageInfo_new(seL4_Word label, seL4_Word capsUnwrapped, seL4_Word extraCaps,
                                                      seL4_Word length)
{
    seL4_MessageInfo_t info = {{ 0 }};
    info = seL4_MessageInfo_set_label(info, label);
    info = seL4_MessageInfo_set_capsUnwrapped(info, capsUnwrapped);
    info = seL4_MessageInfo_set_extraCaps(info, extraCaps);
    return seL4_MessageInfo_set_length(info, length);
}

/* The IPC buffer, which a thread shares with the kernel: one kibibyte at the start of its highest page. */
typedef struct seL4_IPCBuffer_ {
    seL4_MessageInfo_t tag;
    seL4_Word msg[seL4_MsgMaxLength];
    seL4_Word userData;
    seL4_Word caps_or_badges[seL4_MsgMaxExtraCaps];
    seL4_CPtr receiveCNode;
    seL4_CPtr receiveIndex;
    seL4_Word receiveDepth;
} seL4_IPCBuffer;

#define LIMEN_BUFFER_PLACE(member) (__builtin_offsetof(seL4_IPCBuffer, member) / sizeof(seL4_Word))
#define LIMEN_SAME_PLACE(member, word) \
    typedef char limen_place_of_##member[LIMEN_BUFFER_PLACE(member) == (word) ? 1 : -1]
LIMEN_SAME_PLACE(tag, LIMEN_BUFFER_TAG);
LIMEN_SAME_PLACE(msg, LIMEN_BUFFER_MESSAGE);
LIMEN_SAME_PLACE(userData, LIMEN_BUFFER_USER_DATA);
LIMEN_SAME_PLACE(caps_or_badges, LIMEN_BUFFER_CAPS);
LIMEN_SAME_PLACE(receiveDepth, LIMEN_BUFFER_WORDS - 1);

#ifdef __cplusplus
extern "C" {
#endif
/* The buffer's address, for programs that expect it in a variable. */
extern seL4_IPCBuffer *__sel4_ipc_buffer;
#ifdef __cplusplus
}
#endif

/* The address is the same in every program, so access needs no load. It is hidden from the compiler, which would
 * otherwise fold each word's offset into it and need two instructions for every address. */
LIMEN_INLINE seL4_IPCBuffer *seL4_GetIPCBuffer(void)
{
    seL4_IPCBuffer *buffer;
    __asm__ ("" : "=r"(buffer) : "0"(LIMEN_IPC_BUFFER_ADDRESS));
    return buffer;
}

/* The word of the buffer that describes a message. The kernel does not read it: system calls take the description as an
 * argument. */
LIMEN_INLINE seL4_MessageInfo_t seL4_GetTag(void)
{
    return seL4_GetIPCBuffer()->tag;
}

LIMEN_INLINE void seL4_SetTag(seL4_MessageInfo_t tag)
{
    seL4_GetIPCBuffer()->tag = tag;
}

LIMEN_INLINE seL4_Word seL4_GetMR(int i)
{
    return seL4_GetIPCBuffer()->msg[i];
}

LIMEN_INLINE void seL4_SetMR(int i, seL4_Word mr)
{
    seL4_GetIPCBuffer()->msg[i] = mr;
}

static inline seL4_Word seL4_GetUserData(void)
{
    return seL4_GetIPCBuffer()->userData;
}

static inline void seL4_SetUserData(seL4_Word data)
{
    seL4_GetIPCBuffer()->userData = data;
}

static inline seL4_Word seL4_GetBadge(int i)
{
    return seL4_GetIPCBuffer()->caps_or_badges[i];
}

static inline seL4_CPtr seL4_GetCap(int i)
{
    return seL4_GetIPCBuffer()->caps_or_badges[i];
}

static inline void seL4_SetCap(int i, seL4_CPtr cptr)
{
    seL4_GetIPCBuffer()->caps_or_badges[i] = cptr;
}

#endif /* SEL4_MESSAGE_H */
