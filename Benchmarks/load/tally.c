#define _GNU_SOURCE
#include "tally.h"
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

struct tally *tally_make(int clients)
{
	struct tally *tally = mmap(NULL, sizeof(*tally), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (tally == MAP_FAILED) {
		perror("mmap");
		exit(1);
	}
	tally->waiting = clients;
	return tally;
}

uint64_t boot_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_BOOTTIME, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}

struct work {
	int clients;
	void (*run)(int clients);
};

static void *run_all(void *argument)
{
	struct work *work = argument;
	work->run(work->clients);
	return NULL;
}

void tally_start(int clients, bool in_processes, void (*run)(int clients))
{
	static struct work work;
	pthread_t thread;
	work = (struct work){ clients, run };
	if (!in_processes) {
		pthread_create(&thread, NULL, run_all, &work);
		return;
	}
	for (int index = 0; index < clients; index++) {
		if (fork() == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			run(1);
			_exit(0);
		}
	}
}

void tally_first(struct tally *tally) { tally->waiting--; }

void tally_message(struct tally *tally, uint64_t stamp_ns, uint64_t now_ns)
{
	tally->messages++;
	if (!stamp_ns || now_ns < stamp_ns)
		return;
	uint64_t index = tally->latencies++;
	if (index < MAX_LATENCIES)
		tally->latency_ns[index] = now_ns - stamp_ns > UINT32_MAX ? UINT32_MAX : (uint32_t)(now_ns - stamp_ns);
}

static int ascending(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

static uint32_t percentile(const struct tally *tally, uint64_t count, double share)
{
	return count ? tally->latency_ns[(uint64_t)(share * (double)(count - 1))] : 0;
}

static void print(struct tally *tally)
{
	static const double shares[] = { 0.1, 0.5, 0.9, 0.99, 0.999 };
	uint64_t count = tally->latencies < MAX_LATENCIES ? tally->latencies : MAX_LATENCIES;
	qsort(tally->latency_ns, count, sizeof(uint32_t), ascending);
	printf("{\"seconds\":%.6f,\"messages\":%lu,\"samples\":%lu,\"bytes\":%lu,\"lost\":%lu,", (tally->closed_ns - tally->opened_ns) / 1e9,
	       tally->messages, tally->samples, tally->bytes, tally->lost);
	printf("\"latencies\":%lu", count);
	for (size_t index = 0; index < sizeof(shares) / sizeof(*shares); index++)
		printf(",\"p%g\":%u", 100 * shares[index], percentile(tally, count, shares[index]));
	printf(",\"max\":%u}\n", percentile(tally, count, 1));
	fflush(stdout);
}

void tally_conduct(struct tally *tally)
{
	char line[16];
	for (int tries = 0; tally->waiting > 0; tries++) {
		if (tries == 30000) {
			fprintf(stderr, "%d clients never had a message\n", tally->waiting);
			exit(1);
		}
		usleep(1000);
	}
	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin) && !strcmp(line, "open\n")) {
		tally->opened_ns = boot_ns();
		tally->is_open = 1;
	}
	tally->is_open = 0;
	tally->closed_ns = boot_ns();
	tally->is_over = 1;
	print(tally);
}
