/* draw.c - a priced call as a timeline in SVG.
 *
 *     rank 0  |-#####----##--|     bars: what the processor does
 *                \\    /           bands: messages on their way, from the sender's port to the receiver's
 *     rank 1  |-###--##------|
 *
 * Each bar and band has a title that viewers show when the pointer rests on it.
 */
#include "plan/draw.h"

enum { WIDTH = 1280, LEFT = 84, RIGHT = 36, TOP = 112, BOTTOM = 58 };

enum { SEND, RECEIVE, COMBINE, COPY, NBARS };

static const struct {
    const char *name, *colour;
} bars[NBARS] = {
    [SEND] = {"send", "#3b76b8"},
    [RECEIVE] = {"receive", "#3a9d78"},
    [COMBINE] = {"combine", "#e08a2e"},
    [COPY] = {"copy", "#8f6bb0"},
};

struct picture {
    FILE *stream;
    double scale, lane, unit; /* pixels a second; pixels a lane; seconds of the unit that times are written in */
    const char *unit_name;
};

static double x_of(const struct picture *p, double time)
{
    return LEFT + time * p->scale;
}

static double y_of(const struct picture *p, int32_t rank)
{
    return TOP + (rank + 0.5) * p->lane;
}

static double half_bar(const struct picture *p)
{
    return p->lane * (p->lane > 30 ? 0.22 : 0.27);
}

static void write_text(FILE *stream, const char *text)
{
    for (; *text; text++) {
        if (*text == '<')
            fputs("&lt;", stream);
        else if (*text == '&')
            fputs("&amp;", stream);
        else
            fputc(*text, stream);
    }
}

static void choose_unit(struct picture *p, double time)
{
    static const struct {
        double seconds;
        const char *name;
    } units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}};
    size_t i = 0;

    while (i + 1 < TF_ARRAY_LEN(units) && time < 2 * units[i].seconds)
        i++;
    p->unit = units[i].seconds;
    p->unit_name = units[i].name;
}

/* 1, 2 or 5 times a power of ten: at most ten ticks. */
static double tick_of(double span)
{
    static const double steps[] = {1, 2, 5};
    double power = 1;

    while (power > span / 10)
        power /= 10;
    for (;; power *= 10)
        for (size_t i = 0; i < TF_ARRAY_LEN(steps); i++)
            if (span <= 10 * steps[i] * power)
                return steps[i] * power;
}

static void draw_axis(const struct picture *p, int32_t lanes, double last)
{
    double bottom = TOP + lanes * p->lane, tick = last > 0 ? tick_of(last / p->unit) : 1;

    fprintf(p->stream, "<g class=\"axis\">\n");
    for (int i = 0; i * tick * p->unit <= last * (1 + 1e-9); i++) {
        double x = x_of(p, i * tick * p->unit);
        fprintf(p->stream,
                "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%.1f\"/><text x=\"%.1f\" y=\"%.1f\">%g</text>\n", x, TOP,
                x, bottom + 6, x, bottom + 20, i * tick);
    }
    fprintf(p->stream, "<text x=\"%.1f\" y=\"%.1f\">time, %s</text>\n</g>\n", LEFT + (WIDTH - LEFT - RIGHT) / 2.0,
            bottom + 42, p->unit_name);
    fprintf(p->stream, "<line class=\"end\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%.1f\"/>\n", x_of(p, last), TOP - 8,
            x_of(p, last), bottom + 6);
    fprintf(p->stream, "<text class=\"end\" x=\"%.1f\" y=\"%d\">%.4g %s</text>\n", x_of(p, last), TOP - 12,
            last / p->unit, p->unit_name);
}

static void draw_lanes(const struct picture *p, int32_t lanes)
{
    for (int32_t rank = 0; rank < lanes; rank++) {
        double y = y_of(p, rank);
        if (rank % 2 == 0)
            fprintf(p->stream, "<rect class=\"lane\" x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"%.1f\"/>\n", LEFT,
                    y - p->lane / 2, WIDTH - LEFT - RIGHT, p->lane);
        fprintf(p->stream, "<text class=\"rank\" x=\"%d\" y=\"%.1f\">%s%d</text>\n", LEFT - 10, y + 4,
                p->lane > 16 ? "rank " : "", rank);
    }
}

/* A stripe beside the lanes of adjacent ranks of one domain, in the colour of that domain. */
static void draw_domains(const struct picture *p, const int32_t *domain, int32_t lanes)
{
    static const char *const colours[] = {"#c0504d", "#4f81bd", "#9bbb59", "#8064a2", "#f2a93b", "#4bacc6"};

    for (int32_t first = 0, end; first < lanes; first = end) {
        for (end = first + 1; end < lanes && domain[end] == domain[first];)
            end++;
        fprintf(p->stream,
                "<rect class=\"domain\" x=\"%d\" y=\"%.1f\" width=\"4\" height=\"%.1f\" rx=\"2\" "
                "fill=\"%s\"><title>domain %d: ranks %d to %d</title></rect>\n",
                LEFT - 6, TOP + first * p->lane + 1, (end - first) * p->lane - 2,
                colours[domain[first] % (int32_t)TF_ARRAY_LEN(colours)], domain[first], first, end - 1);
    }
}

static void draw_legend(const struct picture *p)
{
    int x = 24;

    fprintf(p->stream, "<g class=\"legend\">\n");
    for (int i = 0; i < NBARS; i++, x += 88)
        fprintf(p->stream,
                "<rect x=\"%d\" y=\"70\" width=\"14\" height=\"11\" rx=\"1.5\" fill=\"%s\"/>"
                "<text x=\"%d\" y=\"80\">%s</text>\n",
                x, bars[i].colour, x + 20, bars[i].name);
    fprintf(p->stream,
            "<path class=\"message\" d=\"M%d 70h14l14 11h-14z\"/><text x=\"%d\" y=\"80\">message, from its first byte "
            "to its last</text>\n</g>\n",
            x, x + 36);
}

/* The band of a message: its first byte along one long side, its last along the other. */
static void draw_message(const struct picture *p, int32_t rank, const struct tf_price_span *s)
{
    double side = s->peer > rank ? half_bar(p) : -half_bar(p), from = y_of(p, rank) + side,
           to = y_of(p, s->peer) - side;

    fprintf(p->stream,
            "<path class=\"message\" d=\"M%.2f %.1fL%.2f %.1fL%.2f %.1fL%.2f %.1fZ\"><title>%llu bytes from rank %d to "
            "rank %d: on the way from %.4g to %.4g %s</title></path>\n",
            x_of(p, s->leaves), from, x_of(p, s->left), from, x_of(p, s->arrived), to, x_of(p, s->arrives), to,
            (unsigned long long)s->bytes, rank, s->peer, s->leaves / p->unit, s->arrived / p->unit, p->unit_name);
}

static void draw_bar(const struct picture *p, int32_t rank, const struct tf_price_span *s, int bar, double from,
                     double to)
{
    double width = (to - from) * p->scale;

    if (to <= from)
        return;
    fprintf(p->stream,
            "<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\" fill=\"%s\"><title>rank %d: ", x_of(p, from),
            y_of(p, rank) - half_bar(p), width < 0.8 ? 0.8 : width, 2 * half_bar(p), bars[bar].colour, rank);
    fprintf(p->stream, "%s %llu bytes", bars[bar].name, (unsigned long long)s->bytes);
    if (s->peer >= 0)
        fprintf(p->stream, " %s rank %d", bar == SEND ? "to" : "from", s->peer);
    fprintf(p->stream, ", %.4g to %.4g %s</title></rect>\n", from / p->unit, to / p->unit, p->unit_name);
}

enum layer { MESSAGES, WORK, OVERHEADS };

/* Overheads lie on top, as they come between the chunks of work. */
static void draw_step(const struct picture *p, int32_t rank, const struct tf_price_span *s, enum layer layer)
{
    if (layer == MESSAGES && s->kind == TF_SEND && s->peer >= 0)
        draw_message(p, rank, s);
    else if (layer == WORK && s->kind != TF_SEND && s->kind != TF_RECV)
        draw_bar(p, rank, s, s->kind == TF_COPY ? COPY : COMBINE, s->overhead, s->busy);
    else if (layer == OVERHEADS)
        draw_bar(p, rank, s, s->kind == TF_SEND ? SEND : RECEIVE, s->start, s->overhead);
}

static void draw_steps(const struct picture *p, const struct tf_price *price, int32_t lanes, enum layer layer)
{
    for (int32_t rank = 0; rank < lanes; rank++) {
        uint32_t n;
        const struct tf_price_span *spans = tf_price_spans(price, rank, &n);
        for (uint32_t i = 0; i < n; i++)
            draw_step(p, rank, &spans[i], layer);
    }
}

/* Bands lie over each other: the more there are, the lighter they have to be. */
static void draw_head(const struct picture *p, const struct tf_price_result *result, int height, const char *title,
                      const char *subtitle)
{
    double crowd = (double)result->messages.total / 100, lighter = crowd > 8 ? 8 : crowd > 1 ? crowd : 1;

    fprintf(p->stream,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
            "font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\" fill=\"#333\">\n"
            "<style>.axis line{stroke:#d5d8dc;stroke-width:1}.axis text{text-anchor:middle}"
            ".end{stroke:#b03a2e;stroke-width:1;stroke-dasharray:4 3}text.end{stroke:none;fill:#b03a2e;"
            "text-anchor:middle;font-weight:bold}.lane{fill:#f5f6f8}.rank{text-anchor:end}"
            ".message{fill:#5d6d7e;fill-opacity:%.3f;stroke:#5d6d7e;stroke-opacity:%.2f;stroke-width:.8;"
            "stroke-linejoin:round}</style>\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
            WIDTH, height, WIDTH, height, 0.13 / lighter, 0.2 + 0.5 / lighter);
    fprintf(p->stream, "<title>");
    write_text(p->stream, title);
    fprintf(p->stream, "</title>\n<text x=\"24\" y=\"34\" font-size=\"19\" font-weight=\"bold\" fill=\"#1b2631\">");
    write_text(p->stream, title);
    fprintf(p->stream, "</text>\n<text x=\"24\" y=\"56\">");
    write_text(p->stream, subtitle);
    fprintf(p->stream, "</text>\n");
}

void tf_plan_draw(const struct tf_price *price, const struct tf_price_result *result, const char *title,
                  const char *subtitle, FILE *stream)
{
    int32_t lanes = result->size;
    struct picture p = {.stream = stream, .lane = lanes <= 8 ? 64 : lanes <= 16 ? 44 : lanes <= 32 ? 28 : 20};

    choose_unit(&p, result->last);
    p.scale = result->last > 0 ? (WIDTH - LEFT - RIGHT) / result->last : 1;
    draw_head(&p, result, (int)(TOP + lanes * p.lane + BOTTOM), title, subtitle);
    draw_lanes(&p, lanes);
    if (tf_price_model_of(price)->domain)
        draw_domains(&p, tf_price_model_of(price)->domain, lanes);
    draw_axis(&p, lanes, result->last);
    for (enum layer layer = MESSAGES; layer <= OVERHEADS; layer++)
        draw_steps(&p, price, lanes, layer);
    draw_legend(&p);
    fprintf(stream, "</svg>\n");
}
