/*
 * Unit tests of the library, by its own names: what it takes for a reply and what it refuses, how it decodes, what it sends, and
 * how it behaves with a broker that the test plays on a real socket, without threads and without waiting.
 */

#include "unit/checks.h"
#include "unit/decoding.h"
#include "unit/played_broker.h"
#include "unit/streams.h"
#include "unit/adversity.h"
#include "unit/surroundings.h"
#include "unit/providers.h"
#include "unit/provider_faults.h"

int main(void) {
    (void)snprintf(directory, sizeof directory, "%s/sb-unit-%ld", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp", (long)getpid());
    (void)mkdir(directory, 0700);
    (void)snprintf(socket_path, sizeof socket_path, "%s/io.sensorbroker.Feed", directory);
    test_what_is_a_reply();
    test_numbers_are_correctly_rounded();
    test_packed_columns();
    test_all_fields_of_a_location();
    test_a_stream();
    test_refusals();
    test_requests_that_the_client_refuses();
    test_no_broker();
    test_hostile_bytes();
    test_messages_in_pieces();
    test_no_memory_for_further_readings();
    test_without_memory();
    test_readings_without_memory_are_told();
    test_fork();
    test_silence_is_told();
    test_many_requests();
    test_calls();
    test_wall_clock();
    test_a_provider();
    test_close_beside_a_child();
    test_samples_of_several_times();
    test_a_location_is_provided();
    test_provisions_that_are_refused();
    test_a_broker_that_does_not_read();
    test_the_rest_of_a_push();
    test_no_memory_for_further_samples();
    unlink(socket_path);
    (void)rmdir(directory);
    arena_free(&test_arena);
    free(test_message);
    printf("%d checks, %d failed\n", checks, failures);
    return failures ? 1 : 0;
}
