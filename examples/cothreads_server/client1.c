/* Writes two sentences. */

#define CLIENT "1"

#include "client.h"

static void work(void)
{
    append("A threshold is a crossing. ");
    append("Whoever crosses it pays a price, and whoever built it says how much it is ");
}
