# SPDX-License-Identifier: Apache-2.0
"""Line plots as SVG text, with nothing but the standard library."""

import html
import math

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 420, 70, 190, 50, 60
COLOURS = ["#1b6ca8", "#c2410c", "#2f7d32", "#6d28d9", "#555555", "#b58900"]


def _ticks(low, high, log):
    if log:
        return [10.0 ** e for e in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
                if low * 0.999 <= 10.0 ** e <= high * 1.001]
    step = 10.0 ** math.floor(math.log10((high - low) / 4))
    step = next(s for s in (step, 2 * step, 5 * step, 10 * step) if (high - low) / s <= 6)
    first = math.ceil(low / step - 1e-9)
    return [i * step for i in range(first, math.floor(high / step + 1e-9) + 1)]


def plot(path, title, x_name, y_name, lines, log_x=False, y_range=None):
    """lines: list of (name, [(x, y) or (x, y, low, high), ...]); one point is a level line."""
    xs = [p[0] for _, points in lines for p in points if len(points) > 1]
    ys = [v for _, points in lines for p in points for v in p[1:]]
    x_low, x_high = min(xs), max(xs)
    y_low, y_high = y_range or (min(ys), max(ys))

    def x_at(x):
        t = (math.log(x / x_low) / math.log(x_high / x_low)) if log_x else (x - x_low) / (x_high - x_low)
        return LEFT + t * (WIDTH - LEFT - RIGHT)

    def y_at(y):
        return HEIGHT - BOTTOM - (y - y_low) / (y_high - y_low) * (HEIGHT - TOP - BOTTOM)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
           f'font-family="system-ui, sans-serif" font-size="13"><title>{html.escape(title)}</title>',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
           f'<text x="{LEFT}" y="28" font-size="16" fill="#222222">{html.escape(title)}</text>']
    for tick in _ticks(x_low, x_high, log_x):
        out.append(f'<line x1="{x_at(tick):.1f}" x2="{x_at(tick):.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}" '
                   f'stroke="#e5e5e5"/><text x="{x_at(tick):.1f}" y="{HEIGHT - BOTTOM + 18}" '
                   f'text-anchor="middle" fill="#444444">{tick:g}</text>')
    for tick in _ticks(y_low, y_high, False):
        out.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y_at(tick):.1f}" y2="{y_at(tick):.1f}" '
                   f'stroke="#e5e5e5"/><text x="{LEFT - 8}" y="{y_at(tick) + 4:.1f}" text-anchor="end" '
                   f'fill="#444444">{round(tick, 6):g}</text>')
    out.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 16}" text-anchor="middle" fill="#222222">'
               f'{html.escape(x_name)}</text>')
    out.append(f'<text transform="translate(18 {(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)" text-anchor="middle" '
               f'fill="#222222">{html.escape(y_name)}</text>')
    for i, (name, points) in enumerate(lines):
        colour = COLOURS[i % len(COLOURS)]
        if len(points) == 1:
            y = y_at(points[0][1])
            out.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="{colour}" '
                       f'stroke-dasharray="6 4" stroke-width="1.5"/>')
        else:
            path_text = " ".join(f"{x_at(p[0]):.1f},{y_at(p[1]):.1f}" for p in points)
            out.append(f'<polyline points="{path_text}" fill="none" stroke="{colour}" stroke-width="2"/>')
        for p in points if len(points) > 1 else []:
            out.append(f'<circle cx="{x_at(p[0]):.1f}" cy="{y_at(p[1]):.1f}" r="3" fill="{colour}"/>')
            if len(p) == 4:
                out.append(f'<line x1="{x_at(p[0]):.1f}" x2="{x_at(p[0]):.1f}" y1="{y_at(p[2]):.1f}" '
                           f'y2="{y_at(p[3]):.1f}" stroke="{colour}"/>')
        y = TOP + 14 + 20 * i
        out.append(f'<rect x="{WIDTH - RIGHT + 14}" y="{y - 9}" width="12" height="4" fill="{colour}"/>'
                   f'<text x="{WIDTH - RIGHT + 32}" y="{y}" fill="#222222">{html.escape(name)}</text>')
    out.append("</svg>\n")
    with open(path, "w") as file:
        file.write("\n".join(out))
