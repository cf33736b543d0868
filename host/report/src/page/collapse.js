const sections = Array.from(document.querySelectorAll("section")).filter(section => section.querySelector("details"));
const set = (section, open) => { section.querySelector("details").open = open; };
const follow = () => sections.filter(section => "#" + section.id === location.hash).forEach(section => {
    set(section, true);
    section.scrollIntoView();
});
if (matchMedia("screen and (max-width: 44rem)").matches) {
    sections.slice(1).forEach(section => set(section, false));
}
follow();
addEventListener("hashchange", follow);
document.querySelectorAll("nav a").forEach(link => link.addEventListener("click", () => setTimeout(follow)));
addEventListener("beforeprint", () => sections.forEach(section => set(section, true)));
