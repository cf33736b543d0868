"use strict";
// Draws a timeline on screens of a phone, of a desk and on paper, and fails if a name is hidden. `./x check` runs it with node.
//
// The canvas records what the page's script draws, in order: a later operation covers an earlier one.
const fs = require("fs");
const path = require("path");
const vm = require("vm");

const SCRIPT = fs.readFileSync(path.join(__dirname, "../data/timeline.js"), "utf8");
const [RUNNING, READY, WAITING, KERNEL] = [0, 1, 2, 3];
// The advance of a character of 11 pixels, and the parts of its height above and below the line.
const [ADVANCE, ABOVE, BELOW] = [6, 8, 3];
const PHONE = 360;

// Three programs that call each other, so that arrows lead through the lane between them.
const NAMES = ["running", "ready", "waits for a reply", "call", ""];
const slice = (start, length, kind, name) => [start, length, kind === KERNEL ? 1 : 0, kind, name, 4];
const lane = (name, slices) => ({ name, owner: "", kind: "thread", isLast: true, slices, marks: [], values: [] });
const DATA = {
    first: 0, total: 1000, shown: [0, 1000], names: NAMES, losses: [],
    lanes: [
        lane("client", [
            ...slice(0, 300, RUNNING, 0), ...slice(250, 50, KERNEL, 3), ...slice(300, 400, WAITING, 2),
            ...slice(700, 300, RUNNING, 0),
        ]),
        lane("a_program_with_a_name_that_is_longer_than_a_phone_is_wide_by_far", [
            ...slice(0, 400, READY, 1), ...slice(400, 300, READY, 1), ...slice(700, 300, READY, 1),
        ]),
        lane("server", [
            ...slice(0, 300, WAITING, 2), ...slice(300, 400, RUNNING, 0), ...slice(700, 300, WAITING, 2),
        ]),
    ],
    // Each leads through names: from client to server, and back.
    flows: Array.from({ length: 20 }, (_, at) => [[0, 20 + at, 2, 305 + at, 0], [2, 690, 0, 705 + at, 0]]).flat(2),
};

function check(holds, fact) {
    if (!holds) throw new Error(fact);
}

// A canvas that records texts, lines and filled areas, each with what clips it.
function recorder() {
    const drawn = [];
    const saved = [];
    let clip = null;
    let points = [];
    const bounds = () => {
        const [xs, ys] = [0, 1].map((at) => points.map((point) => point[at]));
        return { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) };
    };
    const add = (what, more) => drawn.push({ what, clip, ...more });
    const box = (x, y, width, height) => ({ left: x, right: x + width, top: y, bottom: y + height });
    const written = (string, x, y) => box(x, y - ABOVE, string.length * ADVANCE, ABOVE + BELOW);
    const context = {
        strokeStyle: "", fillStyle: "", lineWidth: 1,
        save: () => saved.push(clip),
        restore: () => { clip = saved.pop(); },
        beginPath: () => { points = []; },
        moveTo: (...point) => points.push(point),
        lineTo: (...point) => points.push(point),
        bezierCurveTo: (a, b, c, d, ...point) => points.push([a, b], [c, d], point),
        rect: (x, y, width, height) => points.push([x, y], [x + width, y + height]),
        clip: () => { clip = bounds(); },
        stroke: () => add("line", { area: bounds(), colour: context.strokeStyle }),
        fill: () => add("head", { area: bounds(), colour: context.fillStyle }),
        fillRect: (...area) => add("area", { area: box(...area), colour: context.fillStyle }),
        strokeRect: (...area) => add("outline", { area: box(...area) }),
        strokeText: (string, x, y) => add("halo", { string, area: written(string, x, y), breadth: context.lineWidth }),
        fillText: (string, x, y) => add("text", { string, area: written(string, x, y), colour: context.fillStyle }),
        clearRect: () => { drawn.length = 0; },
        setTransform: () => {},
    };
    return { drawn, context };
}

// What the script draws in a window of this width.
function draw(width, { prints = false, data = DATA } = {}) {
    const { drawn, context } = recorder();
    const listeners = {};
    const listener = () => ({ addEventListener: () => {} });
    const canvas = {
        ...listener(), style: {}, parentElement: { clientWidth: width }, getContext: () => context,
        getBoundingClientRect: () => ({ left: 0, top: 0, width, height: 0 }),
    };
    const elements = { data: { textContent: JSON.stringify(data) }, details: {}, arrows: { ...listener(), checked: true } };
    const document = {
        ...listener(), documentElement: {}, body: {}, querySelector: () => canvas, querySelectorAll: () => [],
        getElementById: (id) => elements[id],
    };
    const window = { devicePixelRatio: 3, addEventListener: (event, act) => { listeners[event] = act; } };
    const getComputedStyle = () => ({ getPropertyValue: (name) => name });
    const matchMedia = () => ({ ...listener(), matches: false });
    vm.runInNewContext(SCRIPT, { document, window, getComputedStyle, matchMedia, requestAnimationFrame: (act) => act() });
    if (prints) listeners.beforeprint();
    return drawn;
}

const overlaps = (one, other) =>
    one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
const within = (area, clip) => ({
    left: Math.max(area.left, clip.left), right: Math.min(area.right, clip.right),
    top: Math.max(area.top, clip.top), bottom: Math.min(area.bottom, clip.bottom),
});

// The part of a text that shows.
const shown = (text) => within(text.area, text.clip);

for (const [screen, width, options] of [["a phone", PHONE], ["a desk", 1280], ["paper", 1000, { prints: true }]]) {
    const drawn = draw(options ? PHONE : width, options);
    const texts = drawn.filter(({ what }) => what === "text");
    const laneNames = DATA.lanes.map(({ name }) => texts.find(({ string }) => string === name));
    const inSlices = texts.filter(({ string }) => NAMES.includes(string));
    check(laneNames.every(Boolean), `${screen}: a lane has no name`);
    check(inSlices.length >= 6, `${screen}: only ${inSlices.length} slices have names`);

    // Arrows are drawn first, and a name that they cross has an outline in the colour of what is below it.
    const lines = drawn.filter(({ what, colour }) => ["line", "head"].includes(what) && colour === "--three");
    check(lines.length > DATA.flows.length / 5, `${screen}: arrows are missing`);
    let crossed = 0;
    for (const text of [...laneNames, ...inSlices]) {
        const at = drawn.indexOf(text);
        const later = drawn.slice(at + 1).filter(({ what }) => what !== "halo" && what !== "text");
        const above = later.find(({ area }) => overlaps(area, shown(text)));
        check(!above, `${screen}: '${text.string}' is covered by something drawn later (${above?.what})`);
        if (!lines.some(({ area }) => overlaps(area, shown(text)))) continue;
        crossed += 1;
        const halo = drawn[at - 1];
        check(halo?.what === "halo" && halo.string === text.string && halo.breadth >= 4,
            `${screen}: an arrow crosses '${text.string}', which has no outline`);
    }
    check(crossed > 0, `${screen}: no arrow crosses a name, so the test shows nothing`);

    // Names neither leave the screen nor run into each other.
    for (const text of [...laneNames, ...inSlices]) {
        const area = shown(text);
        check(area.left >= 0 && area.right <= width, `${screen}: '${text.string}' leaves the screen`);
        const other = texts.find((other) => other !== text && overlaps(shown(other), area));
        check(!other, `${screen}: '${text.string}' and '${other?.string}' overlap`);
    }
    // Names of lanes are not on slices.
    for (const name of laneNames) {
        const slice = drawn.find(({ what, area }) => what === "area" && overlaps(area, shown(name)));
        check(!slice, `${screen}: '${name.string}' is on a slice`);
    }
}

// The lost records of a processor are a column over its own lanes, and those of the only one a column over everything.
const lossOf = (...lanes) => {
    const drawn = draw(1280, { data: { ...DATA, losses: [300, 400, 7, ...lanes] } });
    const column = drawn.find(({ what, colour }) => what === "area" && colour === "--missed");
    const named = DATA.lanes.map(({ name }) => drawn.find(({ what, string }) => what === "text" && string === name));
    return named.map(({ area }) => column.area.top <= area.top && column.area.bottom >= area.bottom);
};
check(`${lossOf(0, 2)}` === "true,true,true", "lost records do not cover all lanes");
check(`${lossOf(1, 2)}` === "false,true,true", "lost records cover other lanes than those of their processor");
check(`${lossOf(0, 0)}` === "true,false,false", "lost records cover other lanes than those of the first processor");
