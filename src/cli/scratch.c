#include "cli/scratch.h"

#include "base/path.h"
#include "cli/interrupt.h"

#include <errno.h>
#include <stdio.h>

/* What SQLite makes beside a file called "store". */
static const char *const suffixes[] = { "", "-wal", "-shm", "-journal" };

/* Paths ready to be removed where nothing may be allocated: in a signal handler. */
static char files[ARRAY_LEN(suffixes)][4096];
static char folder[4096];

static void remove_all(void)
{
    for (size_t i = 0; i < ARRAY_LEN(files); i++)
        unlink(files[i]);
    rmdir(folder);
}

bool scratch_open(struct cli *cli, struct scratch *s, int *rc)
{
    const char *tmp = getenv("TMPDIR");
    char *dir = path_join(&cli->arena, tmp && tmp[0] ? tmp : "/tmp", "hooke-try-XXXXXX");

    if (strlen(dir) + sizeof("/store-journal") > sizeof(folder))
        errno = ENAMETOOLONG;
    else if (mkdtemp(dir)) {
        s->store = path_join(&cli->arena, dir, "store");
        snprintf(folder, sizeof(folder), "%s", dir);
        for (size_t i = 0; i < ARRAY_LEN(suffixes); i++)
            snprintf(files[i], sizeof(files[i]), "%s%s", s->store, suffixes[i]);
        interrupt_at_end(remove_all);
        setenv("HOOKE_STORE", s->store, 1);
        return true;
    }
    *rc = cli_fail(cli, "making a folder '%s': %s", dir, strerror(errno));
    return false;
}

void scratch_close(struct scratch *s)
{
    if (s->store)
        remove_all();
    s->store = NULL;
}
