// What receivers count within a window that the conductor opens and closes: the same for every protocol.
// One mapping shared by all receiver processes; the conductor talks over standard input and output.
#pragma once
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { MAX_LATENCIES = 8 << 20 };

struct tally {
	_Atomic int waiting; // clients that have not had a message yet
	_Atomic int is_open, is_over;
	_Atomic uint64_t messages, samples, bytes, lost, latencies;
	uint64_t opened_ns, closed_ns; // the conducting thread's own
	uint32_t latency_ns[MAX_LATENCIES];
};

// The mapping, for so many clients.
struct tally *tally_make(int clients);
uint64_t boot_ns(void);
// Lets so many clients run, all in a thread of this process or each in a process of its own.
void tally_start(int clients, bool in_processes, void (*run)(int clients));
// A client's first message has come.
void tally_first(struct tally *tally);
// One message with a stamp of CLOCK_BOOTTIME in it (0: none) has been received now.
void tally_message(struct tally *tally, uint64_t stamp_ns, uint64_t now_ns);
// Says "ready" once every client has had a message; then obeys "open" and "close", prints what was counted, and returns.
void tally_conduct(struct tally *tally);
