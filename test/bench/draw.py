"""Draws measured times as SVG: a figure per collective and operator, a panel per number of processes.

A dashed line without markers is what the machine can do at best.
"""

import math
import xml.sax.saxutils

# A colour and a marker for each, distinct for the colour-blind too.
STYLES = {
    "Treefold": ("#0072b2", "circle"),
    "Open MPI": ("#d55e00", "square"),
    "MPICH": ("#009e73", "triangle"),
    "b[i] += a[i]": ("#666666", "none"),
    "direct loads by 2 processes": ("#666666", "none"),
    "direct loads of fresh data by 2 processes": ("#aa7799", "none"),
}
WIDTH, HEIGHT = 330, 270  # of the plotted area of a panel
LEFT, RIGHT, TOP, BOTTOM = 70, 20, 76, 58
FONT = 'font-family="sans-serif"'


def bytes_label(size):
    for unit, name in ((1 << 20, "M"), (1 << 10, "K")):
        if size >= unit and size % unit == 0:
            return f"{size // unit}{name}"
    return str(size)


def seconds_label(seconds):
    for unit, name in ((1, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")):
        if seconds >= unit * 0.999 or unit == 1e-9:
            return f"{seconds / unit:.3g} {name}"


class Panel:
    """A plot with logarithmic axes: {name: [(x, median, least, most), ...]} by library."""

    def __init__(self, title, x_title, x_label, series):
        self.title = title
        self.x_title = x_title
        self.x_label = x_label  # writes a value of the x axis
        self.series = series


def y_range(panels):
    values = [y for panel in panels for points in panel.series.values() for point in points for y in point[1:]]
    low, high = math.log10(min(values)) - 0.1, math.log10(max(values)) + 0.1
    # Less than a decade would have no tick that says where it is.
    if high - low < 1:
        low, high = math.floor(low), math.floor(low) + max(1, math.ceil(high - math.floor(low)))
    return low, high


def text(x, y, words, size=12, anchor="middle", extra=""):
    words = xml.sax.saxutils.escape(words)
    return f'<text x="{x:.1f}" y="{y:.1f}" {FONT} font-size="{size}" text-anchor="{anchor}" {extra}>{words}</text>'


def line(x1, y1, x2, y2, colour, width=1.0, extra=""):
    return (f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" '
            f'stroke-width="{width}" {extra}/>')


def marker(x, y, colour, shape):
    if shape == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>'
    if shape == "square":
        return f'<rect x="{x - 3.5:.1f}" y="{y - 3.5:.1f}" width="7" height="7" fill="{colour}"/>'
    if shape == "triangle":
        return f'<path d="M{x:.1f} {y - 5:.1f} l4.5 8 h-9 z" fill="{colour}"/>'
    return ""


def draw_axes(panel, left, low, high, to_x, to_y):
    out = [text(left + WIDTH / 2, TOP - 12, panel.title, 13),
           text(left + WIDTH / 2, TOP + HEIGHT + 42, panel.x_title)]
    for decade in range(math.floor(low), math.ceil(high) + 1):
        for digit in (1, 2, 5):
            y = decade + math.log10(digit)
            if low <= y <= high:
                out.append(line(left, to_y(y), left + WIDTH, to_y(y), "#ccc" if digit == 1 else "#eee"))
                if digit == 1 or high - low < 2.5:
                    out.append(text(left - 7, to_y(y) + 4, seconds_label(10 ** decade * digit), 11, "end"))
    ticks = sorted({point[0] for points in panel.series.values() for point in points})
    for tick in ticks:
        out.append(line(to_x(tick), TOP + HEIGHT, to_x(tick), TOP + HEIGHT + 5, "#444"))
        out.append(text(to_x(tick), TOP + HEIGHT + 19, panel.x_label(tick), 11))
    out.append(f'<rect x="{left}" y="{TOP}" width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="#444"/>')
    return out


def draw_series(points, name, to_x, to_y):
    colour, shape = STYLES[name]
    dash = 'stroke-dasharray="6 4"' if shape == "none" else ""
    at = [(to_x(x), to_y(math.log10(y))) for x, y, _, _ in points]
    out = ['<polyline points="' + " ".join(f"{x:.1f},{y:.1f}" for x, y in at)
           + f'" fill="none" stroke="{colour}" stroke-width="2" {dash}/>']
    for (x, y), (_, _, least, most) in zip(at, points):
        if shape == "none":
            out.append(line(x - 6, y, x + 6, y, colour, 2))
        else:
            out.append(line(x, to_y(math.log10(least)), x, to_y(math.log10(most)), colour, 1, 'opacity="0.6"'))
            out.append(marker(x, y, colour, shape))
    return out


def draw_panel(panel, left, low, high):
    xs = [math.log2(point[0]) for points in panel.series.values() for point in points]
    first, last = min(xs), max(xs)
    margin = 0.06 * (last - first) or 1

    def to_x(x):
        return left + WIDTH * (math.log2(x) - first + margin) / (last - first + 2 * margin)

    def to_y(y):
        return TOP + HEIGHT * (high - y) / (high - low)

    out = draw_axes(panel, left, low, high, to_x, to_y)
    for name in reversed([name for name in STYLES if name in panel.series]):
        out += draw_series(panel.series[name], name, to_x, to_y)
    return out


def draw_legend(panels, x):
    """What to draw, and where it ends on the right."""
    out = []
    for name, (colour, shape) in STYLES.items():
        if any(name in panel.series for panel in panels):
            out.append(line(x, 41, x + 26, 41, colour, 2, 'stroke-dasharray="6 4"' if shape == "none" else ""))
            out.append(marker(x + 13, 41, colour, shape))
            out.append(text(x + 32, 45, name, 12, "start"))
            x += 54 + 6.4 * len(name)
    out.append(text(x, 45, "median, least to most", 11, "start", 'fill="#666"'))
    return out, x + 140


def figure(title, panels):
    """The text of an SVG file with the panels side by side, on one scale of time."""
    low, high = y_range(panels)
    legend, legend_end = draw_legend(panels, 20)
    width = max(math.ceil(legend_end), len(panels) * (LEFT + WIDTH + RIGHT) + 20)
    height = TOP + HEIGHT + BOTTOM
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
           f'viewBox="0 0 {width} {height}">', f'<rect width="{width}" height="{height}" fill="white"/>',
           text(20, 22, title, 16, "start", 'font-weight="bold"'),
           text(16, TOP + HEIGHT / 2, "time per call", 12, "middle",
                f'transform="rotate(-90 16 {TOP + HEIGHT / 2:.1f})"')]
    out += legend
    for i, panel in enumerate(panels):
        out += draw_panel(panel, 20 + LEFT + i * (LEFT + WIDTH + RIGHT), low, high)
    return "\n".join(out + ["</svg>", ""])
