// Ends a QEMU that emulates arm64 and has semihosting, with an exit status: what isa-debug-exit does on a PC.
//
// usage: leave STATUS
#include <stdint.h>
#include <stdlib.h>

enum { EXIT = 0x18, APPLICATION_EXIT = 0x20026 }; // SYS_EXIT, ADP_Stopped_ApplicationExit

int main(int count, char **words)
{
	const uint64_t reason[2] = { APPLICATION_EXIT, count == 2 ? strtoul(words[1], NULL, 10) : 1 };
	register uint64_t operation __asm__("x0") = EXIT;
	register const uint64_t *argument __asm__("x1") = reason;
	__asm__ volatile("hlt #0xf000" : "+r"(operation) : "r"(argument) : "memory");
	return 1;
}
