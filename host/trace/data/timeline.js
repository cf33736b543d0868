"use strict";
// Draws the timeline into a canvas. Times are nanoseconds since the first record.
(() => {
    const data = JSON.parse(document.getElementById("data").textContent);
    const canvas = document.querySelector("#view canvas");
    const details = document.getElementById("details");
    const arrows = document.getElementById("arrows");
    const context = canvas.getContext("2d");
    const hint = details.textContent;
    const [RUNNING, READY, WAITING, KERNEL, WORK, SPAN, RUN, IDLE, SLOT] = [0, 1, 2, 3, 4, 5, 6, 7, 8];
    const [AXIS, SPAN_HEIGHT, MOST_ARROWS] = [22, 15, 400];
    const first = data.first;
    const full = { start: first, end: Math.max(data.total, first + 1) };
    const view = { start: data.shown[0], end: Math.max(data.shown[1], data.shown[0] + 1) };
    let selected = null;
    let hovered = null;
    let printing = false;
    let colours = {};
    let width = 0;
    let gutter = 0;
    // The texts in slices, which are drawn above arrows.
    let labels = [];

    // Items of a lane, by depth; the slices of one depth do not overlap.
    const lanes = data.lanes.map((lane, index) => {
        const rows = [];
        for (let at = 0; at < lane.slices.length; at += 6) {
            const [start, length, depth, kind, name, detail] = lane.slices.slice(at, at + 6);
            (rows[depth] ??= []).push({ start, end: start + length, depth, kind, name, detail, lane: index });
        }
        for (let depth = 0; depth < rows.length; depth += 1) rows[depth] ??= [];
        const marks = [];
        for (let at = 0; at < lane.marks.length; at += 4) {
            const [start, tone, name, detail] = lane.marks.slice(at, at + 4);
            marks.push({ start, end: start, tone, name, detail, lane: index, isMark: true });
        }
        const values = [];
        for (let at = 0; at < lane.values.length; at += 2) values.push([lane.values[at], lane.values[at + 1]]);
        return { ...lane, index, rows, marks, values };
    });
    const flows = [];
    for (let at = 0; at < data.flows.length; at += 5) {
        const [from, start, to, end, cause] = data.flows.slice(at, at + 5);
        flows.push({ from, start, to, end, cause });
    }

    function readColours() {
        const style = getComputedStyle(document.documentElement);
        const names = ["paper", "ink", "faint", "rule", "track", "card", "one", "two", "three", "four", "missed"];
        colours = Object.fromEntries(names.map((name) => [name, style.getPropertyValue("--" + name).trim()]));
        colours.isDark = !printing && matchMedia("(prefers-color-scheme: dark)").matches;
    }

    // A colour for each of any number of things: steps of the golden angle around the circle of hues.
    const hue = (number) => `hsl(${(210 + number * 137.5) % 360} ${colours.isDark ? "45% 62%" : "52% 48%"})`;

    function layout() {
        width = printing ? 1000 : Math.max(canvas.parentElement.clientWidth, 200);
        const isNarrow = width < 640;
        gutter = isNarrow ? 0 : 160;
        let y = AXIS;
        for (const lane of lanes) {
            const isNamed = isNarrow && lane.name !== "";
            lane.labelY = y + (isNarrow ? 11 : 13);
            y += isNamed ? 15 : 0;
            lane.y = y;
            const depth = Math.max(lane.rows.length, lane.marks.length > 0 ? 1 : 0);
            lane.height = { thread: 26, program: depth * SPAN_HEIGHT + 2, counter: 30 }[lane.kind] ?? 20;
            y += lane.height + (lane.isLast ? 10 : 2);
        }
        const height = y + 4;
        const ratio = printing ? 2 : window.devicePixelRatio || 1;
        canvas.style.height = printing ? "auto" : `${height}px`;
        canvas.width = Math.round(width * ratio);
        canvas.height = Math.round(height * ratio);
        context.setTransform(ratio, 0, 0, ratio, 0, 0);
        return height;
    }

    const xOf = (time) => gutter + ((time - view.start) * (width - gutter)) / (view.end - view.start);
    const timeOf = (x) => view.start + ((x - gutter) * (view.end - view.start)) / (width - gutter);

    function duration(nanoseconds) {
        for (const [unit, name] of [[1e9, "s"], [1e6, "ms"], [1e3, "us"]]) {
            if (nanoseconds >= unit) return `${Number((nanoseconds / unit).toPrecision(4))} ${name}`;
        }
        return `${nanoseconds} ns`;
    }

    // The first position in a sorted list whose item ends at this time or later.
    function firstFrom(items, time) {
        let [low, high] = [0, items.length];
        while (high > low) {
            const middle = (low + high) >> 1;
            if (items[middle].end >= time) high = middle;
            else low = middle + 1;
        }
        return low;
    }

    // Top and height of a slice in its lane.
    function place(lane, slice) {
        if (lane.kind === "program") return [lane.y + slice.depth * SPAN_HEIGHT, SPAN_HEIGHT - 1];
        if (slice.kind === KERNEL) return [lane.y + lane.height - 7, 7];
        if (slice.kind === WORK) return [lane.y + lane.height - 12, 12];
        if (slice.kind === WAITING) return [lane.y + 6, lane.height - 12];
        return [lane.y, lane.height];
    }

    function fill(slice) {
        switch (slice.kind) {
            case RUNNING: return colours.one;
            case READY: return colours.two;
            case KERNEL: return colours.ink;
            case WORK: return colours.four;
            case WAITING: case IDLE: return colours.track;
            default: return hue(slice.name);
        }
    }

    // `behind` is the colour of an outline that keeps the text apart from lines below it.
    function text(string, x, y, room, colour, behind) {
        if (room < 18) return;
        context.save();
        context.beginPath();
        context.rect(x - 3, y - 14, room + 3, 20);
        context.clip();
        if (behind) {
            context.strokeStyle = behind;
            context.lineWidth = 5;
            context.lineJoin = "round";
            context.strokeText(string, x, y);
        }
        context.fillStyle = colour;
        context.fillText(string, x, y);
        context.restore();
    }

    function drawSlices(lane) {
        for (const row of lane.rows) {
            let [doneTo, doneKind] = [-1, -1];
            for (let at = firstFrom(row, view.start); at < row.length && row[at].start <= view.end; at += 1) {
                const slice = row[at];
                const from = Math.max(xOf(slice.start), gutter);
                const to = Math.max(Math.min(xOf(slice.end), width), from + 0.75);
                // Many slices may share a pixel.
                if (to <= doneTo && slice.kind === doneKind) continue;
                [doneTo, doneKind] = [to - from < 1 ? Math.ceil(from) : -1, slice.kind];
                const [top, height] = place(lane, slice);
                context.fillStyle = fill(slice);
                if (slice.kind === READY && to - from > 4) hatch(from, top + 3, to - from, height - 6);
                else if (slice.kind === READY) context.fillRect(from, top + 3, to - from, height - 6);
                else context.fillRect(from, top, to - from > 3 ? to - from - 0.5 : to - from, height);
                const isQuiet = [READY, WAITING, IDLE].includes(slice.kind);
                if (slice.kind === KERNEL || to - from < 24) continue;
                const middle = top + height / 2 + 4;
                const base = slice.kind === RUNNING && slice.end > slice.start ? top + 13 : middle;
                const colour = isQuiet ? colours.faint : colours.paper;
                labels.push([data.names[slice.name], from + 3, base, to - from - 5, colour, slice]);
            }
        }
    }

    function hatch(x, y, breadth, height) {
        context.save();
        context.beginPath();
        context.rect(x, y, breadth, height);
        context.globalAlpha = 0.18;
        context.fill();
        context.globalAlpha = 1;
        context.clip();
        context.strokeStyle = context.fillStyle;
        context.lineWidth = 1;
        context.beginPath();
        for (let at = x - height - ((x - height) % 6); at < x + breadth; at += 6) {
            context.moveTo(at, y + height);
            context.lineTo(at + height, y);
        }
        context.stroke();
        context.restore();
    }

    function drawMarks(lane) {
        let doneTo = -1;
        for (let at = firstFrom(lane.marks, view.start); at < lane.marks.length; at += 1) {
            const mark = lane.marks[at];
            if (mark.start > view.end) break;
            const x = xOf(mark.start);
            if (x < doneTo && mark.tone === 0) continue;
            doneTo = x + 1;
            const size = mark.tone === 1 ? 6 : 3.5;
            const top = lane.kind === "program" ? lane.y + 1 : lane.y - 1;
            context.fillStyle = mark.tone === 1 ? colours.missed : colours.ink;
            context.beginPath();
            context.moveTo(x - size, top);
            context.lineTo(x + size, top);
            context.lineTo(x, top + size * 1.6);
            context.fill();
        }
    }

    function drawCounter(lane) {
        const values = lane.values.map(([, value]) => value);
        const [least, most] = values.reduce(([a, b], value) => [Math.min(a, value), Math.max(b, value)], [0, 0]);
        const yOf = (value) => lane.y + lane.height - 2 - ((value - least) / (most - least || 1)) * (lane.height - 14);
        const zero = yOf(Math.max(least, 0));
        context.fillStyle = colours.one;
        context.globalAlpha = 0.35;
        lane.values.forEach(([time, value], at) => {
            const end = lane.values[at + 1]?.[0] ?? data.total;
            if (end < view.start || time > view.end) return;
            const [from, to] = [Math.max(xOf(time), gutter), Math.min(xOf(end), width)];
            context.fillRect(from, Math.min(yOf(value), zero), Math.max(to - from, 1), Math.abs(zero - yOf(value)) + 1);
        });
        context.globalAlpha = 1;
        text(`${least} to ${most}`, gutter + 3, lane.y + 9, 200, colours.faint);
    }

    function drawAxis(height) {
        const step = niceStep((view.end - view.start) / Math.max((width - gutter) / 110, 1));
        context.strokeStyle = colours.rule;
        context.lineWidth = 1;
        for (let time = Math.ceil(view.start / step) * step; time <= view.end; time += step) {
            const x = Math.round(xOf(time)) + 0.5;
            context.beginPath();
            context.moveTo(x, 16);
            context.lineTo(x, height);
            context.stroke();
            text(duration(time), x + 3, 12, 100, colours.faint);
        }
    }

    function niceStep(least) {
        const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
        return [1, 2, 5, 10].map((digit) => digit * power).find((step) => step >= least) ?? 10 * power;
    }

    function drawLosses(height) {
        context.fillStyle = colours.missed;
        context.globalAlpha = 0.25;
        for (let at = 0; at < data.losses.length; at += 5) {
            const [start, end, , first, last] = data.losses.slice(at, at + 5);
            if (start > view.end || end < view.start) continue;
            const from = Math.max(xOf(start), gutter);
            // The lanes of the processor.
            const top = first === 0 ? AXIS : lanes[first].y - 1;
            const bottom = last === lanes.length - 1 ? height : lanes[last].y + lanes[last].height + 1;
            context.fillRect(from, top, Math.max(Math.min(xOf(end), width) - from, 2), bottom - top);
        }
        context.globalAlpha = 1;
    }

    const touches = (flow, item) =>
        item && ((flow.from === item.lane && flow.start >= item.start && item.end >= flow.start) ||
            (flow.to === item.lane && flow.end >= item.start && item.end >= flow.end));

    function drawArrows() {
        const chosen = selected ?? hovered;
        let visible = flows.filter((flow) => flow.end >= view.start && flow.start <= view.end);
        const isCrowded = !arrows.checked || visible.length > MOST_ARROWS;
        if (isCrowded) visible = visible.filter((flow) => touches(flow, chosen)).slice(0, MOST_ARROWS);
        for (const flow of visible) {
            const [from, to] = [lanes[flow.from], lanes[flow.to]];
            if (!from || !to || from === to) continue;
            const isDown = to.y > from.y;
            const [x1, y1] = [xOf(flow.start), isDown ? from.y + from.height - 3 : from.y + 3];
            const [x2, y2] = [xOf(flow.end), isDown ? to.y : to.y + to.height];
            const isChosen = touches(flow, chosen);
            context.strokeStyle = context.fillStyle = isChosen ? colours.missed : colours.three;
            context.globalAlpha = isChosen || !chosen ? 0.9 : 0.4;
            context.lineWidth = isChosen ? 2 : 1;
            const bend = Math.max((y2 - y1) / 2, -40, Math.min(40, (y2 - y1) / 2));
            context.beginPath();
            context.moveTo(x1, y1);
            context.bezierCurveTo(x1, y1 + bend, x2, y2 - bend, x2, y2);
            context.stroke();
            const head = isDown ? -6 : 6;
            context.beginPath();
            context.moveTo(x2, y2);
            context.lineTo(x2 - 3.5, y2 + head);
            context.lineTo(x2 + 3.5, y2 + head);
            context.fill();
        }
        context.globalAlpha = 1;
    }

    function outline(item, colour) {
        if (!item) return;
        const lane = lanes[item.lane];
        const [top, height] = item.isMark ? [lane.y - 2, 12] : place(lane, item);
        const from = Math.max(xOf(item.start) - (item.isMark ? 6 : 0), gutter);
        const to = Math.min(xOf(item.end) + (item.isMark ? 6 : 0), width);
        context.strokeStyle = colour;
        context.lineWidth = 2;
        context.strokeRect(from, top, Math.max(to - from, 2), height);
    }

    function draw() {
        readColours();
        const height = layout();
        labels = [];
        context.font = "11px system-ui, sans-serif";
        context.clearRect(0, 0, width, height);
        drawAxis(height);
        context.save();
        context.beginPath();
        context.rect(gutter, 0, width - gutter, height);
        context.clip();
        for (const lane of lanes) {
            drawSlices(lane);
            if (lane.kind === "counter") drawCounter(lane);
            drawMarks(lane);
        }
        drawLosses(height);
        drawArrows();
        for (const [name, x, y, room, colour, slice] of labels) {
            text(name, x, y, room, colour, slice.kind === READY ? colours.paper : fill(slice));
        }
        outline(hovered, colours.faint);
        outline(selected, colours.missed);
        context.restore();
        for (const lane of lanes) {
            const isSub = lane.kind === "program" || lane.kind === "counter";
            context.font = `${isSub ? "" : "600 "}11px system-ui, sans-serif`;
            const indent = isSub ? 26 : 16;
            text(lane.name, indent, lane.labelY, (gutter || width) - indent - 4, isSub ? colours.faint : colours.ink,
                gutter ? "" : colours.paper);
        }
    }

    let isPending = false;
    function redraw() {
        if (isPending) return;
        isPending = true;
        requestAnimationFrame(() => {
            isPending = false;
            draw();
        });
    }

    function itemAt(x, y) {
        const lane = lanes.find((lane) => y >= lane.y - 3 && y <= lane.y + lane.height + 2);
        if (!lane || x < gutter) return null;
        const [time, slack] = [timeOf(x), timeOf(x + 4) - timeOf(x)];
        const near = (items, slack) => {
            let best = null;
            for (let at = firstFrom(items, time - slack); at < items.length; at += 1) {
                if (items[at].start > time + slack) break;
                const distance = (item) => Math.max(item.start - time, time - item.end, 0);
                if (!best || distance(items[at]) < distance(best)) best = items[at];
            }
            return best;
        };
        const mark = y < lane.y + 9 ? near(lane.marks, slack * 1.5) : null;
        if (mark) return mark;
        for (const row of [...lane.rows].reverse()) {
            const slice = near(row, slack);
            if (!slice) continue;
            const [top, height] = place(lane, slice);
            if (y >= top - 1 && y <= top + height + 1) return slice;
        }
        return near(lane.rows[0] ?? [], slack);
    }

    function describe(item) {
        details.textContent = "";
        if (!item) {
            details.textContent = hint;
            return;
        }
        const lane = lanes[item.lane];
        const name = document.createElement("b");
        name.textContent = `${lane.owner || lane.name}: ${data.names[item.name]}`;
        const length = item.isMark ? "" : `${duration(item.end - item.start)}, `;
        const where = item.isMark ? `at ${exact(item.start)}` : `from ${exact(item.start)} to ${exact(item.end)}`;
        const more = data.names[item.detail];
        details.append(name, document.createElement("br"), `${length}${where}${more ? `; ${more}` : ""}`);
    }

    const exact = (nanoseconds) => `${(nanoseconds / 1000).toFixed(3)} us`;

    function show(start, end) {
        const length = Math.min(Math.max(end - start, 10), full.end - full.start);
        view.start = Math.min(Math.max(start, full.start), full.end - length);
        view.end = view.start + length;
        redraw();
    }

    function zoom(factor, at = (view.start + view.end) / 2) {
        const length = Math.min(Math.max((view.end - view.start) / factor, 10), full.end - full.start);
        const start = at - ((at - view.start) * length) / (view.end - view.start);
        show(start, start + length);
    }

    const pan = (part) => {
        const by = part * (view.end - view.start);
        show(view.start + by, view.end + by);
    };

    // Selects the slice before or behind the selected one in its lane, and brings it into view.
    function step(by) {
        const threads = lanes.filter((lane) => lane.kind === "thread");
        const row = selected && !selected.isMark ? lanes[selected.lane].rows[selected.depth] : threads[0]?.rows[0] ?? [];
        const at = selected ? row.indexOf(selected) + by : firstFrom(row, view.start);
        choose(row[Math.min(Math.max(at, 0), row.length - 1)] ?? null);
        if (selected && (selected.start > view.end || selected.end < view.start)) {
            const half = (view.end - view.start) / 2;
            show(selected.start - half, selected.start + half);
        }
    }

    function choose(item) {
        selected = item;
        describe(item);
        redraw();
    }

    function zoomToSelected() {
        if (!selected) return;
        const margin = Math.max((selected.end - selected.start) / 4, 50);
        show(selected.start - margin, selected.end + margin);
    }

    const actions = {
        in: () => zoom(2), out: () => zoom(0.5), left: () => pan(-0.25), right: () => pan(0.25),
        all: () => show(full.start, full.end), next: () => step(1), previous: () => step(-1), selection: zoomToSelected,
    };
    const keys = {
        "+": "in", "=": "in", w: "in", "-": "out", s: "out", ArrowLeft: "left", a: "left", ArrowRight: "right",
        d: "right", 0: "all", Home: "all", n: "next", p: "previous", f: "selection", Enter: "selection",
    };
    for (const button of document.querySelectorAll(".controls button")) {
        button.addEventListener("click", () => actions[button.value]());
    }
    arrows.addEventListener("change", redraw);
    document.addEventListener("keydown", (event) => {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        const isElsewhere = event.target !== document.body && event.target !== canvas;
        if (event.key === "Escape") choose(null);
        const action = actions[keys[event.key]];
        if (!action || isElsewhere) return;
        action();
        event.preventDefault();
    });

    // One pointer pans or selects, two zoom.
    const pointers = new Map();
    let moved = 0;
    const placeOf = (event) => {
        const box = canvas.getBoundingClientRect();
        return { x: ((event.clientX - box.left) * width) / box.width, y: event.clientY - box.top };
    };
    canvas.addEventListener("pointerdown", (event) => {
        pointers.set(event.pointerId, placeOf(event));
        canvas.setPointerCapture(event.pointerId);
        moved = pointers.size > 1 ? 100 : 0;
    });
    canvas.addEventListener("pointermove", (event) => {
        const now = placeOf(event);
        const before = pointers.get(event.pointerId);
        if (!before) {
            hovered = itemAt(now.x, now.y);
            if (!selected) describe(hovered);
            redraw();
            return;
        }
        const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
        if (other) {
            const [was, is] = [Math.abs(before.x - other.x), Math.abs(now.x - other.x)];
            if (was > 5 && is > 5) zoom(is / was, timeOf((now.x + other.x) / 2));
        } else {
            moved += Math.abs(now.x - before.x);
            const by = timeOf(before.x) - timeOf(now.x);
            if (moved > 3) show(view.start + by, view.end + by);
        }
        pointers.set(event.pointerId, now);
    });
    canvas.addEventListener("pointerup", (event) => {
        const now = placeOf(event);
        pointers.delete(event.pointerId);
        if (moved > 3) return;
        choose(itemAt(now.x, now.y));
    });
    canvas.addEventListener("pointercancel", (event) => pointers.delete(event.pointerId));
    canvas.addEventListener("pointerleave", () => {
        hovered = null;
        if (!selected) describe(null);
        redraw();
    });
    canvas.addEventListener("dblclick", zoomToSelected);
    canvas.addEventListener("wheel", (event) => {
        if (event.ctrlKey || event.metaKey) zoom(Math.exp(-event.deltaY / 200), timeOf(placeOf(event).x));
        else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
            pan((event.deltaX || event.deltaY) / (width - gutter));
        } else return;
        event.preventDefault();
    }, { passive: false });
    window.addEventListener("resize", redraw);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
    const print = (is) => () => {
        printing = is;
        draw();
    };
    window.addEventListener("beforeprint", print(true));
    window.addEventListener("afterprint", print(false));
    draw();
})();
