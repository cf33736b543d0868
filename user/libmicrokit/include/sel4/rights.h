/* Rights of a capability. */
#ifndef SEL4_RIGHTS_H
#define SEL4_RIGHTS_H

#include <sel4/types.h>

typedef struct seL4_CapRights {
    seL4_Word words[1];
} seL4_CapRights_t;

#define seL4_CapRightsBits 4

static inline seL4_CapRights_t seL4_CapRights_new(seL4_Word grant_reply, seL4_Word grant, seL4_Word read,
                                                  seL4_Word write)
{
    seL4_CapRights_t rights = {{ (grant_reply & 1) << 3 | (grant & 1) << 2 | (read & 1) << 1 | (write & 1) }};
    return rights;
}

static inline seL4_Word seL4_CapRights_get_capAllowGrantReply(seL4_CapRights_t rights)
{
    return rights.words[0] >> 3 & 1;
}

static inline seL4_Word seL4_CapRights_get_capAllowGrant(seL4_CapRights_t rights)
{
    return rights.words[0] >> 2 & 1;
}

static inline seL4_Word seL4_CapRights_get_capAllowRead(seL4_CapRights_t rights)
{
    return rights.words[0] >> 1 & 1;
}

static inline seL4_Word seL4_CapRights_get_capAllowWrite(seL4_CapRights_t rights)
{
    return rights.words[0] & 1;
}

#define seL4_NoRights seL4_CapRights_new(0, 0, 0, 0)
#define seL4_CanWrite seL4_CapRights_new(0, 0, 0, 1)
#define seL4_CanRead seL4_CapRights_new(0, 0, 1, 0)
#define seL4_ReadWrite seL4_CapRights_new(0, 0, 1, 1)
#define seL4_CanGrant seL4_CapRights_new(0, 1, 0, 0)
#define seL4_CanGrantReply seL4_CapRights_new(1, 0, 0, 0)
#define seL4_NoWrite seL4_CapRights_new(1, 1, 1, 0)
#define seL4_NoRead seL4_CapRights_new(1, 1, 0, 1)
#define seL4_AllRights seL4_CapRights_new(1, 1, 1, 1)

#endif /* SEL4_RIGHTS_H */
