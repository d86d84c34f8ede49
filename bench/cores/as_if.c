/* SPDX-License-Identifier: Apache-2.0 */
/* A program as if on more cores than there are: preloaded in front of libgomp (x86-64), it runs the
 * threads of every parallel region in turns on one core, each with a clock of its own, and says at the
 * end how long the program would have taken, which regions lose most, and where it was outside of them.
 *
 *   gcc -O2 -shared -fPIC -o as_if.so as_if.c
 *   AS_IF_THREADS=16 AS_IF_REPORT=FILE LD_PRELOAD=./as_if.so semblance train ...
 *   addr2line -f -e semblance ADDRESS     of a line of FILE
 *
 * A discrete event simulation: threads are coroutines. Where one asks for the next chunk of a dynamic
 * loop the one whose clock is least goes on; at a barrier all clocks become the latest. It leaves out
 * caches and memory that cores share, and clocks that fall as cores wake: a bound, for a region that
 * does not scale here does not scale on any machine. */
#define _GNU_SOURCE
#include <execinfo.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>

#define MOST_THREADS 64
#define STACK_BYTES ((size_t)4 << 20)
#define MOST_REGIONS 512
#define MOST_LOOPS 16
#define START_SECONDS 3e-6  /* to start and join a team */
#define MEET_SECONDS 1.5e-6 /* at a barrier inside */

typedef void body(void *);

typedef struct loop {
    unsigned long long next, end, step, chunk;
    int users;
} loop;

typedef struct thread {
    ucontext_t context;
    void *stack;
    double clock;
    bool done, waits;
    unsigned loops; /* dynamic loops it began */
} thread;

typedef struct region {
    body *of;
    size_t times, teams;
    double sum, taken, longest; /* over threads; of the clock */
} region;

static thread threads[MOST_THREADS];
static ucontext_t outside;
static volatile sig_atomic_t busy; /* in a region */
static int running = -1, team = 1, asked = 0, nested = 0;
static body *body_at;
static void *body_data;
static double went_in;
static loop loops[MOST_LOOPS];
static region regions[MOST_REGIONS];
static size_t region_count;
static double began, inside_real, inside_as_if;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); /* other programs take none of it */
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- where the program is outside of regions ---- */

/* Where the program was loaded, so that its places can be looked up. */
static uintptr_t base(void)
{
    static unsigned long at;
    if (at != 0) return at;
    FILE *maps = fopen("/proc/self/maps", "r");
    if (maps == NULL) return 0;
    if (fscanf(maps, "%lx", &at) != 1) at = 0;
    fclose(maps);
    return at;
}

#define MOST_PLACES 65536
#define PROGRAM_BYTES ((uintptr_t)64 << 20) /* libraries lie further away */

static void *places[MOST_PLACES];
static size_t place_count;

static void look(int number, siginfo_t *about, void *context)
{
    (void)number;
    (void)about;
    (void)context;
    void *frames[24];
    if (busy || place_count == MOST_PLACES) return;
    const int count = backtrace(frames, 24);
    for (int i = 2; i < count; i++)
        if ((uintptr_t)frames[i] - base() < PROGRAM_BYTES) {
            places[place_count++] = frames[i];
            return;
        }
}

static void watch(void)
{
    struct sigaction action = {.sa_sigaction = look, .sa_flags = SA_SIGINFO | SA_RESTART};
    const struct itimerval often = {{0, 1000}, {0, 1000}};
    void *frame;
    (void)base();
    (void)backtrace(&frame, 1); /* loads what it needs, not in a signal */
    sigaction(SIGPROF, &action, NULL);
    setitimer(ITIMER_PROF, &often, NULL);
}

static int limit(void)
{
    if (asked == 0) {
        const char *text = getenv("AS_IF_THREADS");
        asked = text ? atoi(text) : 16;
        if (asked > MOST_THREADS) asked = MOST_THREADS;
        began = now();
        watch();
    }
    return asked;
}

/* ---- threads ---- */

static void go_on(int t)
{
    const int from = running;
    running = t;
    went_in = now();
    if (from == t) return;
    swapcontext(from < 0 ? &outside : &threads[from].context, t < 0 ? &outside : &threads[t].context);
}

/* Of those that may go on the one that is furthest behind; -1: none. */
static int furthest_behind(void)
{
    int found = -1;
    for (int t = 0; t < team; t++)
        if (!threads[t].done && !threads[t].waits && (found < 0 || threads[t].clock < threads[found].clock))
            found = t;
    return found;
}

/* All who are not done wait: they meet. */
static void let_meet(void)
{
    double latest = 0;
    for (int t = 0; t < team; t++)
        if (threads[t].waits && threads[t].clock > latest) latest = threads[t].clock;
    for (int t = 0; t < team; t++)
        if (threads[t].waits) {
            threads[t].waits = false;
            threads[t].clock = latest + (team > 1 ? MEET_SECONDS : 0);
        }
}

static void yield(void)
{
    int next = furthest_behind();
    if (next < 0) {
        let_meet();
        next = furthest_behind();
    }
    go_on(next);
}

static void stop_clock(void) { threads[running].clock += now() - went_in; }

static void run_thread(void)
{
    body_at(body_data);
    stop_clock();
    threads[running].done = true;
    yield();
}

static void start(int t)
{
    thread *at = &threads[t];
    if (at->stack == NULL)
        at->stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    at->clock = 0;
    at->done = at->waits = false;
    at->loops = 0;
    getcontext(&at->context);
    at->context.uc_stack.ss_sp = at->stack;
    at->context.uc_stack.ss_size = STACK_BYTES;
    at->context.uc_link = &outside;
    makecontext(&at->context, run_thread, 0);
}

static region *region_of(body *of)
{
    for (size_t i = 0; i < region_count; i++)
        if (regions[i].of == of) return &regions[i];
    if (region_count == MOST_REGIONS) abort();
    regions[region_count].of = of;
    return &regions[region_count++];
}

void GOMP_parallel(body *of, void *data, unsigned count, unsigned flags)
{
    (void)flags;
    limit();
    if (running >= 0) { /* one inside another is run by its thread alone */
        nested++;
        of(data);
        nested--;
        return;
    }
    busy = 1;
    region *r = region_of(of);
    const double at = now();
    double sum = 0, latest = 0;
    team = count ? (int)count : limit();
    if (team > MOST_THREADS) team = MOST_THREADS;
    body_at = of;
    body_data = data;
    for (int l = 0; l < MOST_LOOPS; l++) loops[l].users = 0;
    for (int t = 0; t < team; t++) start(t);
    yield();
    for (int t = 0; t < team; t++) {
        sum += threads[t].clock;
        if (threads[t].clock > latest) latest = threads[t].clock;
    }
    if (team > 1) latest += START_SECONDS;
    r->times++;
    r->teams += (size_t)team;
    r->sum += sum;
    r->taken += latest;
    if (latest > r->longest) r->longest = latest;
    inside_real += now() - at;
    inside_as_if += latest;
    team = 1;
    busy = 0;
}

void GOMP_barrier(void)
{
    if (running < 0 || nested > 0) return;
    stop_clock();
    threads[running].waits = true;
    yield();
}

/* ---- dynamic loops ---- */

static bool take(loop *l, unsigned long long *first, unsigned long long *last)
{
    stop_clock();
    yield();
    if (l->next >= l->end) return false;
    *first = l->next;
    *last = l->next + l->chunk * l->step;
    if (*last > l->end) *last = l->end;
    l->next = *last;
    return true;
}

bool GOMP_loop_ull_nonmonotonic_dynamic_start(bool up, unsigned long long first, unsigned long long end,
                                              unsigned long long step, unsigned long long chunk,
                                              unsigned long long *from, unsigned long long *to)
{
    (void)up;
    if (running < 0 || nested > 0) {
        *from = first;
        *to = end;
        return first < end;
    }
    loop *l = &loops[threads[running].loops % MOST_LOOPS];
    if (l->users++ == 0) {
        l->next = first;
        l->end = end;
        l->step = step;
        l->chunk = chunk;
    }
    return take(l, from, to);
}

bool GOMP_loop_ull_nonmonotonic_dynamic_next(unsigned long long *from, unsigned long long *to)
{
    if (running < 0 || nested > 0) return false;
    return take(&loops[threads[running].loops % MOST_LOOPS], from, to);
}

bool GOMP_loop_nonmonotonic_dynamic_start(long first, long end, long step, long chunk, long *from, long *to)
{
    return GOMP_loop_ull_nonmonotonic_dynamic_start(true, (unsigned long long)first, (unsigned long long)end,
                                                    (unsigned long long)step, (unsigned long long)chunk,
                                                    (unsigned long long *)from, (unsigned long long *)to);
}

bool GOMP_loop_nonmonotonic_dynamic_next(long *from, long *to)
{
    return GOMP_loop_ull_nonmonotonic_dynamic_next((unsigned long long *)from, (unsigned long long *)to);
}

void GOMP_loop_end_nowait(void)
{
    if (running >= 0 && nested == 0) threads[running].loops++;
}

void GOMP_loop_end(void)
{
    GOMP_loop_end_nowait();
    GOMP_barrier();
}

/* ---- what programs ask ---- */

int omp_get_max_threads(void) { return limit(); }
int omp_get_num_threads(void) { return nested > 0 ? 1 : team; }
int omp_get_thread_num(void) { return running < 0 || nested > 0 ? 0 : running; }
int omp_in_parallel(void) { return running >= 0; }
void omp_set_num_threads(int count)
{
    limit();
    if (count > 0 && getenv("AS_IF_THREADS") == NULL) asked = count < MOST_THREADS ? count : MOST_THREADS;
}

/* ---- the end ---- */

static int more_lost(const void *a, const void *b)
{
    const region *x = a, *y = b;
    const double lost_x = x->taken - x->sum / asked, lost_y = y->taken - y->sum / asked;
    return lost_x < lost_y ? 1 : lost_x > lost_y ? -1 : 0;
}

__attribute__((destructor)) static void report(void)
{
    if (began == 0) return;
    const double real = now() - began, serial = real - inside_real;
    double work = serial;
    const char *path = getenv("AS_IF_REPORT");
    FILE *out = path ? fopen(path, "w") : stderr;
    if (out == NULL) return;
    for (size_t i = 0; i < region_count; i++) work += regions[i].sum;
    const double whole = serial + inside_as_if;
    fprintf(out, "threads %d work %.4f taken %.4f speed-up %.2f of-linear %.3f outside-regions %.4f\n", asked,
            work, whole, work / whole, work / whole / asked, serial);
    qsort(regions, region_count, sizeof *regions, more_lost);
    for (size_t i = 0; i < region_count; i++) {
        const region *r = &regions[i];
        fprintf(out, "%lx times %zu team %.1f work %.4f taken %.4f lost %.4f us-each %.1f\n",
                (unsigned long)((uintptr_t)r->of - base()), r->times, (double)r->teams / (double)r->times,
                r->sum, r->taken, r->taken - r->sum / asked, 1e6 * r->taken / (double)r->times);
    }
    const struct itimerval never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_PROF, &never, NULL);
    for (size_t i = 0; i < place_count; i++)
        fprintf(out, "%lx outside\n", (unsigned long)((uintptr_t)places[i] - base()));
    if (path) fclose(out);
}
