// Loaded into the daemon in front of the C library: counts what is allocated, in a file that the bench maps too.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static _Atomic uint64_t unmapped;
static _Atomic uint64_t *count = &unmapped;

__attribute__((constructor)) static void map(void)
{
	const char *path = getenv("ALLOCATIONS_FILE");
	int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	void *mapping = file < 0 ? MAP_FAILED : mmap(NULL, sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (mapping != MAP_FAILED)
		count = mapping;
}

void *malloc(size_t size) { (*count)++; return __libc_malloc(size); }
void *calloc(size_t number, size_t size) { (*count)++; return __libc_calloc(number, size); }
void *realloc(void *old, size_t size) { (*count)++; return __libc_realloc(old, size); }
void *memalign(size_t alignment, size_t size) { (*count)++; return __libc_memalign(alignment, size); }
void *aligned_alloc(size_t alignment, size_t size) { (*count)++; return __libc_memalign(alignment, size); }
int posix_memalign(void **place, size_t alignment, size_t size)
{
	(*count)++;
	*place = __libc_memalign(alignment, size);
	return *place ? 0 : 12;
}
