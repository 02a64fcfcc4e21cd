#include "store/receipt_line.h"

#include "json/json.h"

bool receipt_fields(struct arena *a, struct str line, struct store_receipt *r)
{
    const struct json *doc;
    const char *id, *point, *session;

    line = str_trim(line);
    if (json_parse(a, line, NULL, &doc, NULL) < 0)
        return false;
    id = json_cstr(a, json_get(doc, STR("id")));
    point = json_cstr(a, json_get(doc, STR("point")));
    session = json_cstr(a, json_get(doc, STR("session")));
    if (!id || !id[0] || !point || !point[0])
        return false;
    *r = (struct store_receipt){
        .id = id,
        .session = session ? session : "",
        .point = point,
        .line = arena_cstr(a, line),
    };
    return true;
}
