# Writes the description of a system with the deepest chain of calls.

function begin(name, image, more) {
    printf "<protection_domain name=\"%s\" %s>\n<program_image path=\"%s.elf\"/>\n<counter/>\n", name, more, image
    if (image != "uart" && image != "link" && image != "first") print "<map mr=\"shared\" vaddr=\"0x3000000\" setvar_vaddr=\"shared_page\"/>"
}
function domain(name, image, more) { begin(name, image, more); print "</protection_domain>" }
function call(from, to) { print "<channel><end pd=\"" from "\" id=\"1\" pp=\"true\"/><end pd=\"" to "\" id=\"0\"/></channel>" }

BEGIN {
    links = 58
    print "<system>"
    print "<memory_region name=\"uart\" size=\"0x1000\" phys_addr=\"0x9000000\"/>"
    print "<memory_region name=\"shared\" size=\"0x1000\"/>"
    begin("uart", "uart", "priority=\"254\"")
    print "<map mr=\"uart\" vaddr=\"0x2000000\" perms=\"rw\" cached=\"false\" setvar_vaddr=\"uart_base\"/>\n</protection_domain>"
    begin("controller", "controller", "priority=\"200\" budget=\"3000000\" period=\"4000000\"")
    print "<cspace><cap_sc slot=\"1\" pd=\"link0\"/><cap_tcb slot=\"2\" pd=\"link0\"/></cspace>\n</protection_domain>"
    for (i = 0; i < links; i++) {
        domain("link" i, i ? "link" : "first", "priority=\"" i + 2 "\"" (i ? " passive=\"true\"" : " budget=\"10000000\""))
    }
    domain("deep", "deep", "priority=\"" links + 2 "\" passive=\"true\"")
    domain("lander", "lander", "priority=\"1\" budget=\"10000000\"")
    for (i = 0; i < links; i++) {
        call("link" i, i + 1 < links ? "link" i + 1 : "deep")
    }
    print "<channel><end pd=\"controller\" id=\"30\" pp=\"true\"/><end pd=\"uart\" id=\"0\"/></channel>"
    print "<channel><end pd=\"controller\" id=\"0\"/><end pd=\"deep\" id=\"2\"/></channel>"
    print "<channel><end pd=\"controller\" id=\"1\"/><end pd=\"lander\" id=\"0\"/></channel>"
    print "</system>"
}
