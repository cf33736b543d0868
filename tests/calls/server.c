/* Answers every kind of request of service.h. */

#include "service.h"

static microkit_msginfo exchange(seL4_Word count)
{
    seL4_Word wrong = count_wrong(PATTERN_REQUEST, 0, count);
    put_pattern(PATTERN_ANSWER, 0, count);
    return microkit_msginfo_new(wrong, (seL4_Uint16)count);
}

static microkit_msginfo describe(microkit_channel ch, microkit_msginfo request)
{
    microkit_mr_set(0, ch);
    microkit_mr_set(1, microkit_msginfo_get_label(request));
    microkit_mr_set(2, microkit_msginfo_get_count(request));
    return microkit_msginfo_new(0, 3);
}

static microkit_msginfo fill(seL4_Word count)
{
    put_pattern(PATTERN_ANSWER, 0, count);
    return microkit_msginfo_new(0, (seL4_Uint16)count);
}

void init(void)
{
}

void notified(microkit_channel ch)
{
    (void)ch;
}

microkit_msginfo protected(microkit_channel ch, microkit_msginfo request)
{
    seL4_Word count = microkit_msginfo_get_count(request);
    seL4_Word label = microkit_msginfo_get_label(request);
    if (count == 0 && label >= SERVICE_WORDS && label <= SERVICE_WORDS + seL4_MsgMaxLength) {
        return fill(label - SERVICE_WORDS);
    }
    switch (label) {
    case SERVICE_EXCHANGE:
        return exchange(count);
    case SERVICE_LABEL:
        return microkit_msginfo_new(microkit_mr_get(0), 0);
    case SERVICE_FILL:
        return fill(microkit_mr_get(0));
    case SERVICE_KEEP:
        return microkit_msginfo_new(0, (seL4_Uint16)count);
    default:
        return describe(ch, request);
    }
}
