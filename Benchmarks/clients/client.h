// What each client that is measured prints at its end: its own processor time and memory, from the first sample on.
#pragma once
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

static struct rusage first;

static double seconds(struct timeval time) { return (double)time.tv_sec + (double)time.tv_usec / 1e6; }

static void client_begin(void) { getrusage(RUSAGE_SELF, &first); }

// Private dirty memory: what a further one of these programs costs.
static long private_kib(void) {
	char line[256];
	long sum = 0, value;
	FILE *file = fopen("/proc/self/smaps_rollup", "r");
	while (file && fgets(line, sizeof line, file))
		if (sscanf(line, "Private_Dirty: %ld", &value) == 1) sum += value;
	if (file) fclose(file);
	return sum;
}

static void client_end(long samples, double sum) {
	struct rusage last;
	getrusage(RUSAGE_SELF, &last);
	printf("{\"samples\":%ld,\"user\":%.9f,\"system\":%.9f,\"private\":%ld,\"sum\":%.17g}\n", samples,
		seconds(last.ru_utime) - seconds(first.ru_utime), seconds(last.ru_stime) - seconds(first.ru_stime), private_kib(), sum);
}
