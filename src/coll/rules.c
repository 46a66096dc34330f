/* rules.c - rules of selection read from text.  See rules.h for the form. */
#include "coll/rules.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>

static const struct {
    const char *word;
    unsigned when;
} words[] = {
    {"commutative", TF_WHEN_COMMUTATIVE},
    {"elementwise", TF_WHEN_ELEMENTWISE},
    {"roomy", TF_WHEN_ROOMY},
    {"crowded", TF_WHEN_CROWDED},
    {"node", TF_WHEN_NODE},
    {"network", TF_WHEN_NETWORK},
    {"levels", TF_WHEN_LEVELS},
    {"persistent", TF_WHEN_PERSISTENT},
    {"fixed", TF_WHEN_FIXED},
    {"exact", TF_WHEN_EXACT},
};

enum { MAX_RULE = 400 };

struct parser {
    struct tf_rules *rules;
    int count, cap, line;
    void (*complain)(const char *words);
};

static bool wrong(struct parser *p, const char *format, ...) TF_PRINTF(2, 3);

/* Always false. */
static bool wrong(struct parser *p, const char *format, ...)
{
    char message[1200];
    int length = snprintf(message, sizeof message, "%s:%d: ", p->rules->source, p->line);
    va_list args;
    va_start(args, format);
    vsnprintf(message + length, sizeof message - (size_t)length, format, args);
    va_end(args);
    p->rules->wrong++;
    if (p->complain)
        p->complain(message);
    return false;
}

/* ---- names ---- */

static void append(char *list, size_t capacity, const char *name)
{
    size_t used = strlen(list);
    snprintf(list + used, capacity - used, "%s%s", used ? ", " : "", name);
}

static bool find_collective(struct parser *p, const char *name, enum tf_coll *coll)
{
    char known[500] = "";
    for (int c = 0; c < TF_NKINDS; c++) {
        if (strcmp(name, tf_coll_name((enum tf_coll)c)) == 0) {
            *coll = (enum tf_coll)c;
            return true;
        }
    }
    for (int c = 0; c < TF_NCOLL; c++)
        append(known, sizeof known, tf_coll_name((enum tf_coll)c));
    return wrong(p, "there is no collective \"%s\"; there are %s, and inter_bcast and the like", name, known);
}

static bool find_algorithm(struct parser *p, const char *name, struct tf_rule *rule)
{
    char known[500] = "";
    rule->algo = tf_algo_find(rule->coll, name);
    if (rule->algo)
        return true;
    for (int i = 0; i < tf_algo_count; i++)
        if (tf_algos[i].coll == rule->coll)
            append(known, sizeof known, tf_algos[i].name);
    return wrong(p, "there is no algorithm \"%s\" for %s; there are %s", name, tf_coll_name(rule->coll), known);
}

/* ---- numbers ---- */

/* A number at *at, moved behind it; false if there is none. */
static bool number(const char **at, bool units, uint64_t *value)
{
    static const char letters[] = "KMG";
    char *end;
    if (!isdigit((unsigned char)**at))
        return false;
    errno = 0;
    *value = strtoull(*at, &end, 10);
    const char *unit = units && *end ? strchr(letters, toupper((unsigned char)*end)) : NULL;
    int shift = unit ? 10 * (int)(unit - letters + 1) : 0;
    if (errno || *value > (uint64_t)(SIZE_MAX - 1) >> shift)
        return false;
    *value <<= shift;
    *at = end + (unit != NULL);
    return true;
}

/* N, N..M, N.., ..M or <N as low <= x <= high; UINT64_MAX: no end. */
static bool range(const char *text, bool units, uint64_t *low, uint64_t *high)
{
    *low = 0;
    *high = UINT64_MAX;
    if (*text == '<') {
        text++;
        if (!number(&text, units, high) || *text || *high == 0)
            return false;
        (*high)--;
        return true;
    }
    bool from = number(&text, units, low), to = false;
    if (*text == '\0') {
        *high = *low;
        return from;
    }
    if (strncmp(text, "..", 2) != 0)
        return false;
    text += 2;
    if (*text)
        to = number(&text, units, high);
    return !*text && (from || to) && *low <= *high;
}

/* ---- the two sides of a rule ---- */

static bool take_range(struct parser *p, struct tf_rule *rule, bool bytes, const char *text)
{
    uint64_t low, high;
    if (!text || !range(text, bytes, &low, &high))
        return wrong(p, "\"%s%s%s\" is no range; it must be like %s", bytes ? "bytes" : "ranks", text ? " " : "",
                     text ? text : "",
                     bytes ? "bytes 1K..64K, bytes 1K.., bytes ..64K or bytes <64K"
                           : "ranks 4, ranks 3..8, ranks 3.., ranks ..8 or ranks <9");
    if (bytes) {
        rule->low = low;
        rule->high = high >= SIZE_MAX ? SIZE_MAX : high + 1;
    } else {
        rule->from = low > INT_MAX ? INT_MAX : (int)low;
        rule->to = high > INT_MAX ? INT_MAX : (int)high;
    }
    return true;
}

static bool take_word(struct parser *p, struct tf_rule *rule, const char *word)
{
    for (size_t i = 0; i < TF_ARRAY_LEN(words); i++) {
        if (strcmp(word, words[i].word) == 0) {
            rule->when |= words[i].when;
            return true;
        }
    }
    return wrong(p,
                 "\"%s\" is no condition; there are ranks RANGE, bytes RANGE, commutative, elementwise, roomy, "
                 "crowded, node, network, levels, fixed and exact",
                 word);
}

static bool take_conditions(struct parser *p, struct tf_rule *rule, char *text)
{
    char *rest, *word = strtok_r(text, " \t\r", &rest);
    if (!word)
        return wrong(p, "the collective is missing before \"=\"");
    if (!find_collective(p, word, &rule->coll))
        return false;
    while ((word = strtok_r(NULL, " \t\r", &rest))) {
        bool bytes = strcmp(word, "bytes") == 0;
        bool right = bytes || strcmp(word, "ranks") == 0 ? take_range(p, rule, bytes, strtok_r(NULL, " \t\r", &rest))
                                                         : take_word(p, rule, word);
        if (!right)
            return false;
    }
    return true;
}

static char *trimmed(char *text)
{
    text += strspn(text, " \t\r");
    size_t length = strlen(text);
    while (length > 0 && strchr(" \t\r", text[length - 1]))
        text[--length] = '\0';
    return text;
}

/* "radix=4)", what stands behind the parenthesis that opens. */
static bool take_parameter(struct parser *p, struct tf_rule *rule, char *text)
{
    const struct tf_algo_parameter *takes = tf_algo_parameter(rule->algo);
    uint64_t value;
    char *end = strchr(text, ')'), *equals = strchr(text, '=');
    if (!takes)
        return wrong(p, "%s of %s takes no parameter", rule->algo->name, tf_coll_name(rule->coll));
    if (end && equals && equals < end && !*trimmed(end + 1)) {
        *end = *equals = '\0';
        const char *digits = trimmed(equals + 1);
        if (strcmp(trimmed(text), takes->name) == 0 && number(&digits, false, &value) && !*digits &&
            value >= (uint64_t)takes->least && value <= (uint64_t)takes->most) {
            rule->parameter = (int)value;
            return true;
        }
    }
    return wrong(p, "the parameter of %s must be (%s=N) with N from %d to %d", rule->algo->name, takes->name,
                 takes->least, takes->most);
}

static bool take_algorithm(struct parser *p, struct tf_rule *rule, char *text)
{
    char *parameter = strchr(text, '(');
    if (parameter)
        *parameter++ = '\0';
    char *name = trimmed(text);
    if (!*name)
        return wrong(p, "the algorithm is missing after \"=\"");
    return find_algorithm(p, name, rule) && (!parameter || take_parameter(p, rule, parameter));
}

/* ---- the text ---- */

static int keep(struct parser *p, const struct tf_rule *rule)
{
    if (p->count == p->cap) {
        int cap = p->cap ? 2 * p->cap : 16;
        struct tf_rule *more = realloc(p->rules->rule, (size_t)cap * sizeof *more);
        if (!more)
            return tf_error(MPI_ERR_NO_MEM, "cannot allocate %d rules of selection", cap);
        p->rules->rule = more;
        p->cap = cap;
    }
    p->rules->rule[p->count++] = *rule;
    return MPI_SUCCESS;
}

/* One rule, which may be blank. */
static int take_rule(struct parser *p, const char *text, size_t length)
{
    char copy[MAX_RULE];
    struct tf_rule rule = {.from = 0, .to = INT_MAX, .low = 0, .high = SIZE_MAX, .line = p->line};
    size_t blank = 0;
    while (blank < length && isspace((unsigned char)text[blank]))
        blank++;
    if (blank == length)
        return MPI_SUCCESS;
    if (length >= sizeof copy) {
        wrong(p, "a rule of %zu characters is too long; it may have %d", length, MAX_RULE - 1);
        return MPI_SUCCESS;
    }
    memcpy(copy, text, length);
    copy[length] = '\0';
    char *equals = strchr(copy, '=');
    if (!equals) {
        wrong(p, "\"%s\" is no rule; it must be like \"allreduce bytes <2K = flat\"", trimmed(copy));
        return MPI_SUCCESS;
    }
    *equals = '\0';
    bool right = take_conditions(p, &rule, copy) && take_algorithm(p, &rule, equals + 1);
    return right ? keep(p, &rule) : MPI_SUCCESS;
}

/* Where the rule at `text` ends: at the end of the line or text, at a comment, or at a separator that does not stand
 * between parentheses. */
static size_t rule_length(const char *text)
{
    bool inside = false;
    size_t n = 0;
    for (; text[n] && text[n] != '\n' && text[n] != '#'; n++) {
        if (text[n] == '(')
            inside = true;
        else if (text[n] == ')')
            inside = false;
        else if (!inside && (text[n] == ',' || text[n] == ';'))
            break;
    }
    return n;
}

static int take_text(struct parser *p, const char *text)
{
    int err = MPI_SUCCESS;
    p->line = 1;
    while (*text && !err) {
        size_t length = rule_length(text);
        err = take_rule(p, text, length);
        text += length;
        if (*text == '#')
            text += strcspn(text, "\n");
        p->line += *text == '\n';
        text += *text != '\0';
    }
    return err;
}

/* By collective, otherwise in the order of the text. */
static int sort(struct parser *p)
{
    struct tf_rule *sorted = tf_alloc((size_t)p->count * sizeof *sorted, "rules of selection");
    int n = 0;
    if (!sorted)
        return MPI_ERR_NO_MEM;
    for (int c = 0; c < TF_NKINDS; c++) {
        p->rules->first[c] = n;
        for (int i = 0; i < p->count; i++)
            if (p->rules->rule[i].coll == (enum tf_coll)c)
                sorted[n++] = p->rules->rule[i];
    }
    p->rules->first[TF_NKINDS] = n;
    free(p->rules->rule);
    p->rules->rule = sorted;
    return MPI_SUCCESS;
}

struct tf_rules *tf_rules_parse(const char *text, const char *source, void (*complain)(const char *words))
{
    struct parser p = {.rules = tf_alloc(sizeof *p.rules, "rules of selection"), .complain = complain};
    if (!p.rules)
        return NULL;
    *p.rules = (struct tf_rules){.source = strdup(source)};
    if (!p.rules->source)
        tf_error(MPI_ERR_NO_MEM, "cannot allocate the name of rules of selection");
    if (p.rules->source && !take_text(&p, text) && !sort(&p))
        return p.rules;
    tf_rules_free(p.rules);
    return NULL;
}

void tf_rules_free(struct tf_rules *rules)
{
    if (!rules)
        return;
    free(rules->source);
    free(rules->rule);
    free(rules);
}

static char *contents(FILE *f)
{
    size_t length = 0, cap = 1 << 14;
    char *text = malloc(cap + 1);
    while (text) {
        length += fread(text + length, 1, cap - length, f);
        text[length] = '\0';
        if (length < cap)
            break;
        cap *= 2;
        char *more = realloc(text, cap + 1);
        if (!more)
            free(text);
        text = more;
    }
    return text;
}

int tf_rules_read(const char *path, void (*complain)(const char *words), struct tf_rules **rules)
{
    int err = MPI_SUCCESS;
    char message[600];
    errno = 0;
    FILE *f = fopen(path, "r");
    char *text = f ? contents(f) : NULL;
    *rules = NULL;
    if (text && !ferror(f)) {
        *rules = tf_rules_parse(text, path, complain);
        err = *rules ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    } else if (errno == ENOMEM) { /* other ranks may have them */
        err = tf_error(MPI_ERR_NO_MEM, "cannot allocate the rules of selection in \"%.300s\"", path);
    } else if (complain) {
        snprintf(message, sizeof message,
                 "the rules of selection in \"%.400s\" cannot be read (%s); going on without "
                 "them",
                 path, strerror(errno));
        complain(message);
    }
    free(text);
    if (f)
        fclose(f);
    return err;
}

/* ---- rules as text ---- */

static const char *show_number(uint64_t value, bool bytes, char text[32])
{
    static const char units[] = "\0KMG";
    int unit = 0;
    for (; bytes && unit < 3 && value && value % 1024 == 0; unit++)
        value /= 1024;
    snprintf(text, 32, "%llu%.1s", (unsigned long long)value, &units[unit]);
    return text;
}

/* low <= x <= high; `end` is no bound. */
static void show_range(char *text, size_t capacity, bool bytes, uint64_t low, uint64_t high, uint64_t end)
{
    const char *what = bytes ? "bytes" : "ranks";
    char from[32], to[32];
    show_number(low, bytes, from);
    show_number(high, bytes, to);
    if (low == 0 && high == end)
        text[0] = '\0';
    else if (high == end)
        snprintf(text, capacity, "%s %s..", what, from);
    else if (low == high)
        snprintf(text, capacity, "%s %s", what, from);
    else if (low == 0 && bytes)
        snprintf(text, capacity, "%s <%s", what, show_number(high + 1, bytes, to));
    else
        snprintf(text, capacity, "%s %s..%s", what, low ? from : "", to);
}

char *tf_rule_show_algo(const struct tf_algo *algo, int parameter, char *text, size_t capacity)
{
    const struct tf_algo_parameter *takes = tf_algo_parameter(algo);
    if (takes && parameter)
        snprintf(text, capacity, "%s(%s=%d)", algo->name, takes->name, parameter);
    else
        snprintf(text, capacity, "%s", algo->name);
    return text;
}

char *tf_rule_show_match(const struct tf_rule *rule, char *text, size_t capacity)
{
    char ranks[80], bytes[80], when[100] = "";
    show_range(ranks, sizeof ranks, false, (uint64_t)rule->from, (uint64_t)rule->to, INT_MAX);
    show_range(bytes, sizeof bytes, true, rule->low, rule->high == SIZE_MAX ? SIZE_MAX : rule->high - 1, SIZE_MAX);
    for (size_t i = 0; i < TF_ARRAY_LEN(words); i++)
        if (rule->when & words[i].when)
            snprintf(when + strlen(when), sizeof when - strlen(when), "%s ", words[i].word);
    snprintf(text, capacity, "%-20s  %-12s  %-16s  %-8s = ", tf_coll_name(rule->coll), ranks, bytes, when);
    return text;
}

char *tf_rule_show(const struct tf_rule *rule, char *text, size_t capacity)
{
    size_t used = strlen(tf_rule_show_match(rule, text, capacity));
    tf_rule_show_algo(rule->algo, rule->parameter, text + used, capacity - used);
    return text;
}
