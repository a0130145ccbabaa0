// SPDX-License-Identifier: BSD-3-Clause
// Members of the JSON records of clsolve.
#include "tools/json.h"
#include "tools/messages.h"

#include <levelcl/version.h>

#include <stdio.h>
#include <stdlib.h>

cJSON *json_new(const char *command)
{
    cJSON *record = cJSON_CreateObject();
    json_put_count(record, "schema", JSON_SCHEMA);
    json_put_text(record, "version", lcl_version());
    json_put_text(record, "command", command);
    return record;
}

void json_put_text(cJSON *object, const char *key, const char *text)
{
    char clean[MESSAGE_BYTES];
    snprintf(clean, sizeof clean, "%s", text);
    messages_clean(clean);
    cJSON_AddStringToObject(object, key, clean);
}

void json_put_number(cJSON *object, const char *key, double number)
{
    cJSON_AddNumberToObject(object, key, number);
}

void json_put_count(cJSON *object, const char *key, int64_t count)
{
    cJSON_AddNumberToObject(object, key, (double)count);
}

void json_put_bool(cJSON *object, const char *key, bool value)
{
    cJSON_AddBoolToObject(object, key, value);
}

bool json_put_printed(cJSON *object, const char *key, const struct cli *cli,
                      void (*write)(FILE *out, const struct cli *cli))
{
    char *text = cli_printed(cli, write);
    if (text)
        cJSON_AddStringToObject(object, key, text);
    free(text);
    return text != NULL;
}

// Prints and frees the record.
bool json_print(cJSON *record)
{
    char *text = cJSON_PrintUnformatted(record);
    cJSON_Delete(record);
    if (!text)
        return false;
    const bool written = puts(text) >= 0;
    cJSON_free(text);
    return written;
}
