/* Keys of every kind, and several branches on them in one function. */

#include <limen/static_key.h>

extern limen_static_key_t elsewhere;
extern limen_static_key_t several[4];
LIMEN_STATIC_KEY_FALSE(off);
LIMEN_STATIC_KEY_TRUE(on);
static LIMEN_STATIC_KEY_FALSE(hidden_off);
static LIMEN_STATIC_KEY_TRUE(hidden_on);
LIMEN_STATIC_KEY_ARRAY_FALSE(all_off, 3);
LIMEN_STATIC_KEY_ARRAY_TRUE(all_on, 3);
static LIMEN_STATIC_KEY_ARRAY_FALSE(hidden_all_off, 3);
static LIMEN_STATIC_KEY_ARRAY_TRUE(hidden_all_on, 3);

int branches(int value);

int branches(int value)
{
    if (limen_static_branch_unlikely(off)) {
        value += 1;
    }
    if (limen_static_branch_likely(on) && value > 3) {
        value += 2;
    } else if (limen_static_branch_likely(hidden_off) || limen_static_branch_unlikely(hidden_on)) {
        value += 4;
    }
    while (limen_static_branch_unlikely(elsewhere)) {
        value = limen_static_branch_likely(several[3]) ? value * 2 : value + limen_static_branch_unlikely(several[0]);
    }
    return value + limen_static_branch_unlikely(all_off[0]) + limen_static_branch_likely(all_on[2]) +
           limen_static_branch_unlikely(hidden_all_off[1]) + limen_static_branch_likely(hidden_all_on[1]);
}
