document.querySelectorAll(".flame").forEach(graph => {
    const boxes = Array.from(graph.children);
    const places = new Map(boxes.map(box => [box, { left: parseFloat(box.style.left), width: parseFloat(box.style.width) }]));
    const show = chosen => {
        const to = places.get(chosen);
        const scaled = percent => Math.min(100, Math.max(0, 100 * (percent - to.left) / to.width));
        boxes.forEach(box => {
            const own = places.get(box);
            const left = scaled(own.left);
            const width = scaled(own.left + own.width) - left;
            box.style.left = left + "%";
            box.style.width = width + "%";
            box.style.display = width > 0.01 ? "" : "none";
            box.classList.toggle("above", parseFloat(chosen.style.top) > parseFloat(box.style.top));
        });
        graph.previousElementSibling.textContent = chosen.title;
    };
    boxes.forEach(box => box.addEventListener("click", () => show(box)));
});
