/* The address of the IPC buffer, for programs that expect it in a variable. */

#include <sel4/sel4.h>

seL4_IPCBuffer *__sel4_ipc_buffer = (seL4_IPCBuffer *)LIMEN_IPC_BUFFER_ADDRESS;
