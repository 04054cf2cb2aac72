"""A page that has a block of every kind, with `text` wherever a user's can stand."""

import functools

from gpumetrics.displays.drawing.style import BANDS, GRID, INK, NOISE, WORSE, cluster_colors
from gpumetrics.pages import model
from gpumetrics.pages.figures import svg_of

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
PICTURE = f"data:image/png;base64,{PIXEL}"
HOSTILE = (
    "<script>window.hacked = 1</script>",
    '"><img src=x onerror="window.hacked = 2">',
    "'><svg/onload='window.hacked = 3'>",
    "javascript:window.hacked=4",
    "</style></title></textarea><script>window.hacked = 5</script>",
    "{{ 7 * 7 }}{% raw %}",
    "&lt;b&gt; <!-- --> ]]>",
)


@functools.cache  # plots take time
def page_of(text="a topic", lang="en", n_clusters=30):
    marks = tuple(f"c{i}" for i in range(n_clusters))
    lead = [
        model.Paragraph(
            "The clusters overlap: each row is nearly as close to another cluster as to its own.", strong=True
        ),
        model.Paragraph(f"Two of them may be one. {text}"),
        model.Cards(
            [
                model.Card("Silhouette", "0.312", "-1 to 1, higher is better", "weak structure", "fair"),
                model.Card("Davies-Bouldin", "1.204", "0 and up, lower is better", "good separation", "good"),
                model.Card("Negative rows", "41.2 %", "0 to 100 %", "many rows on the wrong side", "poor"),
                model.Card(text, text, text, text),
            ]
        ),
    ]
    return model.Page(
        f"Reading of a clustering {text}",
        f"10,000 rows, {n_clusters} clusters, cosine {text}",
        lang,
        lead,
        [
            model.Section("look", f"Where to look {text}", looks(text, marks)),
            model.Section("clusters", "All clusters", [clusters(text, marks), names(text)]),
            model.Section("settings", "Settings", [model.Code(f"gumetrics evaluate x.npy\n  --lang ko {text}")]),
        ],
    )


def looks(text, marks):
    samples = [
        model.Sample(17, f"{text} first line\nsecond line " + "words " * 150, "", f"{text} silhouette 0.71"),
        model.Sample(4, text, PICTURE, "on the border"),
    ]
    fold = model.Fold(
        f"Ambiguous rows {text}",
        [
            model.Paragraph("In a fold."),
            model.Samples("of the first cluster", samples, marks[0]),
            model.Fold("deeper", []),
        ],
    )
    return [
        model.Listing([f"First {text}", "Then that."], ordered=True),
        model.Listing(["One thing.", "Another."]),
        model.Figure("bars", bars(text, marks, "bars"), f"Silhouettes of the clusters {text}", f"Each bar. {text}"),
        model.Figure("again", bars(text, marks[:6], "again"), "The same of six clusters"),
        model.Samples(f"From the middle of {text}", samples, marks[1]),
        fold,
    ]


def bars(text, marks, name):
    def draw(ax):
        ax.axvspan(0.25, 0.5, color=BANDS[0])
        ax.axvspan(0.5, 0.75, color=BANDS[1])
        ax.grid(color=GRID)
        ax.axvline(0.3, color=INK)
        ax.axvline(-0.1, color=WORSE)
        ax.text(0.8, 1, text[:30], parse_math=False)
        for i, color in enumerate(cluster_colors(len(marks))):
            ax.barh(i, 0.1 + 0.7 * ((7 * i) % 11) / 11, color=color, gid=f"bar--{marks[i]}")
        ax.barh(len(marks), 0.2, color=NOISE)

    return svg_of(draw, name)


def clusters(text, marks):
    titles = ("size", "silhouette", "median", "negative", "distance", "R", "rows", "share", "other", "more")
    columns = [
        model.Column("cluster", help=f"as given {text}"),
        *(model.Column(title, number=True) for title in titles),
    ]
    rows = []
    for i in range(len(marks)):
        value = float("nan") if i == 3 else ((7 * i) % 11) / 11 - 0.25
        size = float(1000 + 37 * ((5 * i) % 13))
        numbers = [model.Cell(f"{size:,.0f}", size), model.Cell("-" if i == 3 else f"{value:.3f}", value)]
        numbers += [model.Cell(f"{value * at:.2f}", value * at) for at in range(1, len(titles) - 1)]
        rows.append([model.Cell(f"{text} {i}"), *numbers])
    return model.Table("clusters-table", f"All clusters {text}", columns, rows, marks, f"A dash is undefined. {text}")


def names(text):
    columns = [model.Column("name"), model.Column(text), model.Column("value", number=True, help="infinite at most")]
    given = [('say "hi", twice', 2.0), ("=1+1", float("inf")), ("item 10", -0.5), ("item 9", float("nan")), (text, 2.0)]
    rows = [[model.Cell(name), model.Cell("@SUM(A1)"), model.Cell(f"{value:g}", value)] for name, value in given]
    return model.Table("names-table", "Names", columns, rows)
