# SPDX-License-Identifier: Apache-2.0
"""From runs to rows: medians over the rounds, ratios, and the table."""
import statistics

PEERS = ("kube-scheduler", "berth")


def stage(run, name):
    """What a stage measured; KeyError when it did not come to its end."""
    if run[name].get("error"):
        raise KeyError(name)
    return run[name]


def cpu_per_pod(run, *names):
    """Milliseconds of the scheduler's CPU for one pod over these stages."""
    spent = sum(stage(run, name)["usage"]["cpu"]["scheduler"] for name in names)
    return 1000 * spent / sum(run[name]["bound"] for name in names)


# Key, heading, how it is taken from a run, decimals, whether more is better.
COLUMNS = [
    ("drain", "queue drained, pods/s", lambda run: stage(run, "drain")["pods_per_second"], 0, True),
    ("live", "live, pods/s", lambda run: stage(run, "burst")["pods_per_second"], 0, True),
    ("cpu", "CPU, ms/pod", lambda run: cpu_per_pod(run, "drain", "burst"), 2, False),
    ("p50", "p50, ms", lambda run: stage(run, "steady")["latency_ms"]["p50"], 1, False),
    ("p99", "p99, ms", lambda run: stage(run, "steady")["latency_ms"]["p99"], 1, False),
    ("memory", "memory, MB", lambda run: run["memory"]["rss"] / 1e6, 0, False),
]
# Taken where the workload is the basic one.
MORE = [
    ("ready", "start to ready, s", lambda run: stage(run, "drain")["ready"], 2, False),
    ("first", "start to the first binding, s", lambda run: stage(run, "drain")["first_binding"], 2, False),
    ("ready_cpu", "CPU until ready, s", lambda run: stage(run, "drain")["ready_cpu"], 2, False),
    ("idle", "CPU while idle, ms/s", lambda run: 1000 * run["idle"]["cpu"]["scheduler"] / run["idle"]["seconds"], 2, False),
]


def others_share(run):
    """Which part of the machine programs took that do not belong to the benchmark, at most over the stages."""
    shares = [0.0]
    for name in ("drain", "burst", "steady", "idle"):
        usage = run.get(name, {}).get("usage") or run.get(name)
        if usage and usage.get("seconds"):
            shares.append((usage["machine_cpu"] - sum(usage["cpu"].values())) / usage["seconds"])
    return max(shares)


def figure(runs, take):
    """The median over the runs that have the figure, or None."""
    values = []
    for run in runs:
        try:
            values.append(take(run))
        except (KeyError, TypeError, ZeroDivisionError):
            pass
    return statistics.median(values) if values else None


def compared(runs, take, more_is_better):
    """The figure of each peer, and how many times better Berth's is."""
    values = {peer: figure([run for run in runs if run["peer"] == peer], take) for peer in PEERS}
    theirs, ours = values[PEERS[0]], values[PEERS[1]]
    over, under = (ours, theirs) if more_is_better else (theirs, ours)
    values["ratio"] = over / under if over is not None and under else None
    return values


def summary(runs):
    """One row for each size and workload, in the order of the runs."""
    rows = []
    for nodes, name, title in dict.fromkeys((run["nodes"], run["workload"], run["title"]) for run in runs):
        here = [run for run in runs if run["nodes"] == nodes and run["workload"] == name]
        row = {"nodes": nodes, "workload": name, "title": title, "pods": here[0]["counts"]["total"],
               "figures": {key: compared(here, take, more) for key, _, take, _, more in COLUMNS},
               "others": max(others_share(run) for run in here),
               "errors": [f"{run['peer']}: {run['error']}" for run in here if run.get("error")]}
        if name == "basic":
            row["more"] = {key: compared(here, take, more) for key, _, take, _, more in MORE}
        rows.append(row)
    return rows


def number(value, decimals):
    return "–" if value is None else f"{value:,.{decimals}f}"


def ratio(value):
    # 12×, 3.4×, 0.56×
    return "–" if value is None else f"{value:.{0 if value >= 9.95 else 1 if value >= 0.995 else 2}f}×"


def cell(values, decimals):
    return f"{number(values[PEERS[0]], decimals)} → {number(values[PEERS[1]], decimals)} ({ratio(values['ratio'])})"


def aligned(rows):
    """A Markdown table whose columns are as wide as their longest cell."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = ["| " + " | ".join(text.ljust(width) for text, width in zip(row, widths)) + " |" for row in rows]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)


def table(rows):
    """All rows as one table, kube-scheduler → Berth; a ratio above 1 is in favour of Berth."""
    lines = [["nodes", "pods", "workload", *(heading for _, heading, *_ in COLUMNS)]]
    for row in rows:
        disturbed = " *" if row["others"] > 0.15 else ""
        lines.append([f"{row['nodes']:,}", f"{row['pods']:,}", row["title"] + disturbed,
                      *(cell(row["figures"][key], decimals) for key, _, _, decimals, _ in COLUMNS)])
    for row in rows:
        for key, heading, _, decimals, _ in MORE if "more" in row else ():
            lines.append([f"{row['nodes']:,}", f"{row['pods']:,}", heading, cell(row["more"][key], decimals),
                          *[""] * (len(COLUMNS) - 1)])
    text = "kube-scheduler → Berth (times better)\n\n" + aligned(lines)
    if any(row["others"] > 0.15 for row in rows):
        text += "\n\n* other programs took more than 0.15 of a core meanwhile"
    for row in rows:
        for error in row["errors"]:
            text += f"\n\n{row['nodes']:,} nodes, {row['title']}: {error}"
    return text
