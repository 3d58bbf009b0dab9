// What a server has used: of the processor, and of memory.
#pragma once
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double processor_seconds(int pid)
{
	struct timespec time;
	clockid_t clock = (clockid_t)((~(unsigned)pid << 3) | 2);
	if (clock_gettime(clock, &time)) {
		perror("the server's processor time");
		exit(1);
	}
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static long resident_kib(int pid)
{
	char path[64];
	long whole, resident = 0;
	snprintf(path, sizeof(path), "/proc/%d/statm", pid);
	FILE *file = fopen(path, "r");
	if (file && fscanf(file, "%ld %ld", &whole, &resident) != 2)
		resident = 0;
	if (file)
		fclose(file);
	return resident * 4;
}
