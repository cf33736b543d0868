/* Message words across a wait.
 *
 * All cothreads of a domain share the IPC buffer with the words of protected calls. A cothread that waits between
 * setting and using words must save them:
 *
 *   seL4_Word words[2];
 *   microkit_cothread_save_words(words, 2);
 *   microkit_cothread_wait_on_channel(DISK);
 *   microkit_cothread_restore_words(words, 2); */
#ifndef LIMEN_COTHREAD_MESSAGE_H
#define LIMEN_COTHREAD_MESSAGE_H

/* `count` is at most seL4_MsgMaxLength. */
static inline void microkit_cothread_save_words(seL4_Word *words, unsigned int count)
{
    for (unsigned int i = 0; i < count; i++) {
        words[i] = microkit_mr_get((seL4_Uint8)i);
    }
}

static inline void microkit_cothread_restore_words(const seL4_Word *words, unsigned int count)
{
    for (unsigned int i = 0; i < count; i++) {
        microkit_mr_set((seL4_Uint8)i, words[i]);
    }
}

#endif /* LIMEN_COTHREAD_MESSAGE_H */
