"""What the page of a report has to show, by the report in JSON, in the page's own way of writing."""

from decimal import ROUND_HALF_UP, Decimal


def rounded(value, decimals):
    """As toFixed of JavaScript does: the exact number, halves away from zero."""
    return str(Decimal(value).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP))


def clock(seconds, decimals=0):
    units = int(seconds * 10 ** decimals + 0.5)
    whole, part = divmod(units, 10 ** decimals)
    hours, minutes = divmod(whole // 60, 60)
    fraction = f".{part:0{decimals}}" if decimals else ""
    return (f"{hours}:{minutes:02}" if hours else f"{minutes}") + f":{whole % 60:02}{fraction}"


def lasting(seconds):
    return f"{rounded(seconds, 2 if seconds < 10 else 1)} s" if seconds < 60 else clock(seconds)


def size(count):
    if count < 1000:
        return f"{count} bytes"
    power = min(4, (len(str(count)) - 1) // 3)
    return f"{rounded(count / 1000 ** power, 1)} {['', 'kB', 'MB', 'GB', 'TB'][power]}"


def decibels(value, unit):
    return "\u2212\u221e " + unit if value is None else f"{rounded(value, 1)} {unit}".replace("-", "\u2212")


def counts(job):
    warnings = sum(message["severity"] == "warning" for message in job["messages"])
    flaws = sum(bool(join["flaws"]) for output in job["outputs"] for join in output.get("joins", []))
    return {"warnings": warnings, "flaws": flaws, "trouble": bool(warnings or flaws) or job["status"] != "done"}


def run_figures(report):
    totals = report["totals"]
    flaws = sum(counts(job)["flaws"] for job in report["jobs"])
    found = {"jobs": totals["jobs"], "done": totals["done"]}
    found |= {status.replace("_", " "): totals[status]
              for status in ("up_to_date", "failed", "blocked", "cancelled", "not_started") if totals[status]}
    found |= {"outputs": totals["outputs"], "size": size(totals["bytes"]), "sound": clock(totals["sound"]),
              "took": lasting(report["elapsed"]), "cores": report["machine"]["cores"],
              "exit status": report["exit_status"]}
    if flaws:
        found["joins with flaws"] = flaws
    return {name: str(value) for name, value in found.items()}


def job_line(job):
    """The texts of a job's line in the list."""
    found, numbers = [job["name"], job["status"].replace("_", " ")], counts(job)
    for count, one, many in ((numbers["warnings"], "warning", "warnings"),
                             (numbers["flaws"], "flawed join", "flawed joins")):
        if count:
            found.append(f"{count} {one if count == 1 else many}")
    level = next((output["loudness"] for output in job["outputs"] if "loudness" in output), None)
    if level:
        found.append(decibels(level["integrated_lufs"], "LUFS"))
    if "elapsed" in job:
        found.append(lasting(job["elapsed"]))
    return found


def output_figures(output):
    level, normal = output.get("loudness"), output.get("normalization", {})
    goal, found = normal.get("target", {}), [["format", output["format"]]]
    for name, key, text in (("size", "bytes", size), ("length", "duration", lambda value: clock(value, 3)),
                            ("rate", "sample_rate", lambda value: f"{value} Hz"), ("channels", "channel_count", str)):
        if key in output:
            found.append([name, text(output[key])])
    if level:
        found += [["loudness", decibels(level["integrated_lufs"], "LUFS")],
                  ["true peak", decibels(level["true_peak_dbtp"], "dBTP")]]
        if level["range_lu"] is not None:
            found.append(["range", decibels(level["range_lu"], "LU")])
    for name, value, unit in (("target", goal.get("integrated_lufs"), "LUFS"),
                              ("ceiling", goal.get("true_peak_dbtp"), "dBTP"), ("gain", normal.get("gain_db"), "dB")):
        if value is not None:
            found.append([name, decibels(value, unit)])
    if "limiter_dbtp" in normal:
        found.append(["limited", "yes"])
    if "peak_dbfs" in output:
        found.append(["largest sample before encoding", decibels(output["peak_dbfs"], "dBFS")])
    if output.get("clipped_samples"):
        found.append(["over full scale", str(output["clipped_samples"])])
    return found
