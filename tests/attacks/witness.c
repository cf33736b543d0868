/* Confirms to the tester on request that its memory is intact and that calls work.
 *
 * The witness with the highest priority answers the calls of the others. */

#include <microkit.h>

#define TESTER 0
#define SERVER 1

#define WORDS 64

static volatile seL4_Word words[WORDS];
static seL4_Word asked;

static seL4_Word expected(seL4_Word i)
{
    return (i + asked) * 0x9e3779b97f4a7c15ul;
}

static void write_words(void)
{
    for (seL4_Word i = 0; i < WORDS; i++) {
        words[i] = expected(i);
    }
}

static seL4_Bool words_are_whole(void)
{
    for (seL4_Word i = 0; i < WORDS; i++) {
        if (words[i] != expected(i)) {
            return seL4_False;
        }
    }
    return seL4_True;
}

static seL4_Bool is_server(void)
{
    return microkit_name[0] == 'h';
}

static seL4_Bool a_call_works(void)
{
    microkit_mr_set(0, asked);
    microkit_msginfo answer = microkit_ppcall(SERVER, microkit_msginfo_new(asked, 1));
    return microkit_msginfo_get_label(answer) == asked && microkit_mr_get(0) == asked + 1;
}

void init(void)
{
    write_words();
}

/* A damaged witness stays silent, which the tester detects. */
void notified(microkit_channel ch)
{
    seL4_Bool well = words_are_whole() && (is_server() || a_call_works());
    asked++;
    write_words();
    if (well && ch == TESTER) {
        microkit_notify(TESTER);
    }
}

microkit_msginfo protected(microkit_channel ch, microkit_msginfo request)
{
    (void)ch;
    microkit_mr_set(0, microkit_mr_get(0) + 1);
    return request;
}
