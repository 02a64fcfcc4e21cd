/*
 * A program with hooks of its own: build it against an installed hooke with
 *
 *     cc embed.c $(pkg-config --cflags --libs hooke) -o embed
 *
 * It keeps nothing on disk.
 */
#include <hooke/hooke.h>
#include <stdio.h>
#include <string.h>

static int no_force_push(void *context, const char *event, struct hooke_answer *answer,
                         struct hooke_error *error)
{
    (void)context;
    (void)error;
    if (strstr(event, "push --force"))
        hooke_answer_json(answer, "{\"decision\":\"block\",\"reason\":\"no force pushes\"}");
    return 0;
}

static int run(struct hooke *h, const char *command, struct hooke_error *error)
{
    struct hooke_result result;
    char data[256];

    snprintf(data, sizeof(data), "{\"tool\":\"bash\",\"args\":{\"command\":\"%s\"}}", command);
    if (hooke_emit(h,
                   &(struct hooke_event){
                       .point = "tool.execute.before", .session = "example", .data = data },
                   &result, error) < 0)
        return -1;
    printf("%s: %s\n", command, result.verdict);
    hooke_result_release(&result);
    return 0;
}

int main(void)
{
    struct hooke_error error = { "" };
    struct hooke *h =
        hooke_open(&(struct hooke_options){ .store = "memory", .receipts = "" }, &error);
    struct hooke_hook guard = {
        .name = "no-force-push", .point = "PreToolUse", .layer = HOOKE_GUARD, .run = no_force_push
    };

    if (!h || hooke_register(h, &guard, &error) < 0 || hooke_use(h, "loop-guard", &error) < 0 ||
        run(h, "git push", &error) < 0 || run(h, "git push --force", &error) < 0) {
        fprintf(stderr, "embed: %s\n", error.message);
        return 1;
    }
    printf("hooke %s, loop-guard fires every %d\n", hooke_version(),
           hooke_cadence(h, "loop-guard", "tool.execute.before", &error));
    hooke_close(h);
    return 0;
}
