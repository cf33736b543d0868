/* No register that a handler can write has flags. Part of the tester. */

static void test_flags(void)
{
}
