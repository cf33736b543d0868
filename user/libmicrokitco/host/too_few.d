too_few.o: tests/too_few.c ../libmicrokitco.h ../cothread/options.h \
  tests/options/seed/libmicrokitco_opts.h ../cothread/errors.h \
  ../cothread/types.h include/microkit.h ../cothread/context.h \
  ../cothread/x86_64/context.h ../cothread/core.h ../cothread/message.h \
  ../cothread/seed.h

../libmicrokitco.h:

../cothread/options.h:

tests/options/seed/libmicrokitco_opts.h:

../cothread/errors.h:

../cothread/types.h:

include/microkit.h:

../cothread/context.h:

../cothread/x86_64/context.h:

../cothread/core.h:

../cothread/message.h:

../cothread/seed.h:
